// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.load;

import io.mely.bench.Children;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.Writer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A start of SWS: the time from the fork to the line that says it is ready, and to the last byte of its first answer, which is asked for as soon as that line has told the port.
 *
 * @param readyNs to the ready line
 * @param answerNs to the end of the answer
 */
record Start(long readyNs, long answerNs) {
    private static final Pattern READY = Pattern.compile("SWS listening on http://127\\.0\\.0\\.1:([0-9]{1,5}) .*");
    private static final int START_S = 60;
    private static final int STOP_S = 10;
    private static final int OK = 200;
    private static final int HEAD_BYTES_MAX = 8 << 10;

    /**
     * Starts a server, asks it once, and ends it.
     *
     * @param command that starts one on a port of its choice
     * @param body of the file that is asked for
     * @throws IOException if it does not start, says anything before the ready line, or answers anything else
     */
    static Start of(List<String> command, byte[] body) throws IOException, InterruptedException {
        long fromNs = System.nanoTime();
        Process process = Children.endWithUs(
                new ProcessBuilder(command).redirectErrorStream(true).start());
        CompletableFuture<?> unused = process.onExit()
                .orTimeout(START_S, TimeUnit.SECONDS)
                .whenComplete((ended, tooLate) -> process.destroyForcibly());
        try (BufferedReader says = process.inputReader(StandardCharsets.UTF_8)) {
            String line = says.readLine();
            long readyNs = System.nanoTime() - fromNs;
            int port = port(line);
            if (port == 0) {
                end(process);
                String rest = says.lines().collect(Collectors.joining("\n"));
                throw new IOException("the server does not begin with its ready line, but with: "
                        + (line == null ? "its end" : line + "\n" + rest));
            }
            ask(port, body);
            Start start = new Start(readyNs, System.nanoTime() - fromNs);
            end(process);
            says.transferTo(Writer.nullWriter()); // or it could not say its last
            if (!process.waitFor(STOP_S, TimeUnit.SECONDS)) {
                throw new IOException("the server does not end: " + command);
            }
            return start;
        } finally {
            process.destroyForcibly();
        }
    }

    /** Asks it to end. Unlike the process's own method this leaves its output open. */
    private static void end(Process process) {
        boolean unused = process.toHandle().destroy();
    }

    /** The port of a ready line; 0 if it is none. */
    static int port(@Nullable String line) {
        Matcher ready = READY.matcher(line == null ? "" : line);
        return ready.matches() ? Integer.parseInt(ready.group(1)) : 0;
    }

    /**
     * Asks for {@link CompareCommand#FILE} on a new connection, and waits for the whole answer.
     *
     * @throws IOException if it is not 200 with this body
     */
    static void ask(int port, byte[] body) throws IOException {
        try (Socket socket = new Socket()) {
            int waitMs = (int) TimeUnit.SECONDS.toMillis(START_S);
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), waitMs);
            socket.setSoTimeout(waitMs);
            socket.getOutputStream().write(SecureClients.get("/" + CompareCommand.FILE));
            read(socket.getInputStream(), body);
        }
    }

    private static void read(InputStream in, byte[] body) throws IOException {
        byte[] bytes = new byte[HEAD_BYTES_MAX + body.length];
        ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        ResponseParser parser = new ResponseParser();
        int count = 0;
        while (true) {
            int more = in.read(bytes, count, bytes.length - count);
            if (more <= 0) {
                throw new IOException("the first answer is too long, or ends after " + count + " bytes");
            }
            count += more;
            int from = parser.parse(buffer, 0, count);
            if (from >= 0 && count >= from + parser.contentLength()) {
                if (parser.status() != OK || !Arrays.equals(bytes, from, count, body, 0, body.length)) {
                    throw new IOException("the first answer is not 200 with the file: status=" + parser.status()
                            + ", bytes of the body=" + (count - from));
                }
                return;
            }
            if (from < 0 && from != ResponseParser.INCOMPLETE) {
                throw new IOException("the first answer is not HTTP");
            }
        }
    }
}
