// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.load;

import io.mely.bench.load.AbusiveClients.Abuse;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.zip.CRC32;

/** What abusive clients send to the image server and to the search server. */
final class Abuses {
    /** A WebP picture of 9 x 9 pixels that asks for 65,536 groups of tables: half a gigabyte. Found by the fuzz test of the image server. */
    private static final String TABLES =
            "UklGRnwAAABXRUJQVlA4WAoAAAAQAAAACAAACAAAQUxQSA4AAAABDzGAERFiICL6HwABAFZQOCBIAAAA8AEAnQEqCQAJAACACCUAXYWhADYADU0AAP7/SNn//af//+389/M7ab7+sh7/1mgbbxGH+WZ8f/6lo6uf7btnGRqPUJjqgAAA";

    private static final String CLOSE = "Host: localhost\r\nConnection: close\r\n";
    private static final int PARTS = 100;
    private static final int SIDE = 60_000;
    private static final int NOISE_BYTES = 5_000;
    private static final int LONG = 100_000;

    private Abuses() {}

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    static byte[] post(String type, byte[] body) {
        byte[] head = bytes("POST /images HTTP/1.1\r\n" + CLOSE + "Content-Type: " + type + "\r\nContent-Length: "
                + body.length + "\r\n\r\n");
        byte[] request = Arrays.copyOf(head, head.length + body.length);
        System.arraycopy(body, 0, request, head.length, body.length);
        return request;
    }

    static byte[] get(String target) {
        return bytes("GET " + target + " HTTP/1.1\r\n" + CLOSE + "\r\n");
    }

    /**
     * For the image server.
     *
     * @param good a picture that it takes
     */
    static List<Abuse> ofImages(byte[] good) {
        byte[] noise = new byte[NOISE_BYTES];
        new Random(1).nextBytes(noise);
        byte[] changed = good.clone();
        System.arraycopy(noise, 0, changed, good.length / 2, Math.min(noise.length, good.length / 4));
        String part = "--b\r\nContent-Disposition: form-data; name=\"f\"; filename=\"x\"\r\n\r\nx\r\n";
        String form = "multipart/form-data; boundary=b";
        return List.of(
                new Abuse("bomb by its head", post("image/png", bomb()), Set.of(413)),
                new Abuse(
                        "bomb by its tables",
                        post("image/webp", Base64.getDecoder().decode(TABLES)),
                        Set.of(422)),
                new Abuse("picture cut short", post("image/jpeg", Arrays.copyOf(good, good.length / 2)), Set.of(422)),
                new Abuse("picture with noise", post("image/jpeg", changed), Set.of(201, 202, 422)),
                new Abuse("noise as a picture", post("image/png", noise), Set.of(415)),
                new Abuse("noise as a form", post(form, noise), Set.of(400)),
                new Abuse("form without an end", post(form, bytes(part)), Set.of(400)),
                new Abuse("form of many files", post(form, bytes(part.repeat(PARTS) + "--b--\r\n")), Set.of(413)),
                new Abuse("another type", post("image/gif", noise), Set.of(415)),
                new Abuse("nothing", post("image/png", new byte[0]), Set.of(400)),
                new Abuse(
                        "length of a terabyte",
                        bytes("POST /images HTTP/1.1\r\n" + CLOSE
                                + "Content-Type: image/png\r\nContent-Length: 1099511627776\r\n\r\n"),
                        Set.of(413)),
                new Abuse("name of no picture", get("/images/" + "x".repeat(NOISE_BYTES)), Set.of(404)),
                new Abuse("noise", noise, Set.of(400, 414, 431, 505)));
    }

    /** Says 60,000 x 60,000 pixels. */
    private static byte[] bomb() {
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        file.writeBytes(new byte[] {(byte) 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'});
        file.writeBytes(chunk(
                "IHDR",
                ByteBuffer.allocate(13)
                        .putInt(SIDE)
                        .putInt(SIDE)
                        .put(new byte[] {8, 2, 0, 0, 0})
                        .array()));
        file.writeBytes(chunk("IDAT", new byte[1]));
        file.writeBytes(chunk("IEND", new byte[0]));
        return file.toByteArray();
    }

    private static byte[] chunk(String name, byte[] content) {
        ByteBuffer chunk = ByteBuffer.allocate(12 + content.length).putInt(content.length);
        chunk.put(bytes(name)).put(content);
        CRC32 sum = new CRC32();
        sum.update(chunk.array(), 4, 4 + content.length);
        return chunk.putInt((int) sum.getValue()).array();
    }

    /** For the search server. */
    static List<Abuse> ofSearch() {
        byte[] noise = new byte[NOISE_BYTES];
        new Random(1).nextBytes(noise);
        Set<Integer> found = Set.of(200);
        return List.of(
                new Abuse("many words", get("/search?q=" + "fox+red+".repeat(200)), found),
                new Abuse("unknown words", get("/search?q=" + "qxzzy+vvwyk+".repeat(50)), found),
                new Abuse("one long word", get("/search?q=" + "x".repeat(3_000)), found),
                new Abuse("markup", get("/search?q=%3Cscript%3Ealert(1)%3C/script%3E"), found),
                new Abuse("no letters", get("/search?q=%00%ff%fe%80%ed%a0%80"), Set.of(200, 400)),
                new Abuse("broken escapes", get("/search?q=%zz%"), Set.of(200, 400)),
                new Abuse("suggestions of nothing", get("/suggest?q=" + "%20".repeat(100)), found),
                new Abuse("suggestions too long", get("/suggest?q=" + "z".repeat(1_000)), Set.of(400)),
                new Abuse("line too long", get("/search?q=" + "y".repeat(LONG)), Set.of(414)),
                new Abuse(
                        "head too long",
                        bytes("GET /search?q=a HTTP/1.1\r\n" + CLOSE + "X: " + "y".repeat(LONG) + "\r\n\r\n"),
                        Set.of(431)),
                new Abuse(
                        "a body",
                        bytes("POST /search?q=a HTTP/1.1\r\n" + CLOSE + "Content-Length: 5\r\n\r\nxxxxx"),
                        Set.of(404, 405, 413, 501)),
                new Abuse("out of the folder", get("/../../etc/passwd"), Set.of(400, 404)),
                new Abuse("noise", noise, Set.of(400, 414, 431, 505)));
    }
}
