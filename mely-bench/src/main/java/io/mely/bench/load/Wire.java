// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.load;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.StringReader;
import java.io.StringWriter;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Properties;

/**
 * What master and slave say to each other: lines of a word and, maybe, a text.
 *
 * <pre>
 *   master                   slave
 *   RUN plan        ──►
 *                   ◄──      READY
 *   GO              ──►                  to all slaves, when all are ready
 *                   ◄──      AT responses errors     once a second
 *                   ◄──      RESULT result, or FAILED reason
 * </pre>
 *
 * <p><b>Bounds.</b> A line of more than 64 MiB is refused. <b>Source.</b> spec: Mely §7.5, whose fields are not enough for histograms.
 */
final class Wire implements Closeable {
    static final String RUN = "RUN";
    static final String READY = "READY";
    static final String GO = "GO";
    static final String AT = "AT";
    static final String RESULT = "RESULT";
    static final String FAILED = "FAILED";

    private static final int LINE_MAX = 64 << 20;

    private final Socket socket;
    private final InputStream in;
    private final OutputStream out;

    Wire(Socket socket) throws IOException {
        this.socket = socket;
        socket.setTcpNoDelay(true);
        in = new BufferedInputStream(socket.getInputStream());
        out = socket.getOutputStream();
    }

    /** Sends a line. */
    synchronized void send(String word, String text) throws IOException {
        out.write((word + " " + text.replace('\n', ' ') + "\n").getBytes(StandardCharsets.UTF_8));
        out.flush();
    }

    /**
     * Waits for a line.
     *
     * @return word and text
     * @throws EOFException if there is none any more
     */
    String[] receive() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new EOFException("the other side is gone");
            }
            if (line.size() == LINE_MAX) {
                throw new IOException("a line is too long");
            }
            line.write(next);
        }
        String[] parts = line.toString(StandardCharsets.UTF_8).split(" ", 2);
        return parts.length == 2 ? parts : new String[] {parts[0], ""};
    }

    /** Waits for a line that begins with a word. */
    String expect(String word) throws IOException {
        String[] line = receive();
        if (!line[0].equals(word)) {
            throw new IOException(line[0].equals(FAILED) ? line[1] : "expected " + word + ", got " + line[0]);
        }
        return line[1];
    }

    static String encode(Properties properties) throws IOException {
        StringWriter text = new StringWriter();
        properties.store(text, null);
        return Base64.getEncoder().encodeToString(text.toString().getBytes(StandardCharsets.UTF_8));
    }

    static Properties decode(String text) throws IOException {
        Properties properties = new Properties();
        try {
            properties.load(new StringReader(new String(Base64.getDecoder().decode(text), StandardCharsets.UTF_8)));
        } catch (IllegalArgumentException e) {
            throw new IOException("not properties", e);
        }
        return properties;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
