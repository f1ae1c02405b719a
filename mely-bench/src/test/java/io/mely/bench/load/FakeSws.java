// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.load;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A program with a few of SWS's options and its ready line, which answers one request by the file, or as the property {@code status} says. */
final class FakeSws {
    private FakeSws() {}

    /** {@code --rehearse ROOT} or {@code --root ROOT --port 0}. */
    public static void main(String[] args) throws IOException, InterruptedException {
        List<String> options = List.of(args);
        if (options.contains("--rehearse")) {
            return;
        }
        String says = System.getProperty("says");
        if (says != null) {
            System.out.println(says);
            return;
        }
        byte[] body = Files.readAllBytes(Path.of(options.get(options.indexOf("--root") + 1), "file.html"));
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            System.out.println("SWS listening on http://127.0.0.1:" + server.getLocalPort() + " (root /, 1 core)");
            try (Socket client = server.accept()) {
                awaitHead(client.getInputStream());
                String head = "HTTP/1.1 " + System.getProperty("status", "200") + " Whatever\r\nContent-Length: "
                        + body.length + "\r\n\r\n";
                client.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
                client.getOutputStream().write(body);
                Thread.currentThread().join(); // until it is ended
            }
        }
    }

    private static void awaitHead(InputStream in) throws IOException {
        for (int ends = 0; ends < 2; ) {
            int c = in.read();
            ends = c == '\n' ? ends + 1 : c == '\r' ? ends : 0;
        }
    }
}
