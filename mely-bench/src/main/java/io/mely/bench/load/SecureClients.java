// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.load;

import io.mely.bench.load.Http2Wire.Frame;
import io.mely.bench.load.Result.Failure;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import java.util.zip.CRC32C;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/**
 * Good clients of TLS, half of them by HTTP/2: each has a connection, then asks at instants that were due, and looks at every byte.
 *
 * <p><b>Threads.</b> One for each client, for as long as a wave lasts.
 *
 * @param port of the server, on this machine
 * @param clients with a connection each
 * @param ratePerS requests a second of all
 * @param targets one of which is asked for, by chance
 */
record SecureClients(int port, int clients, double ratePerS, List<Target> targets) {
    private static final double NANO = 1e9;

    /** A machine may halt server and clients alike for minutes. */
    private static final int ANSWER_MS = 600_000;

    private static final String HTTP2 = "h2";
    private static final String LENGTH_FIELD = "content-length:";
    private static final int BUFFER_BYTES = 1 << 14;

    /**
     * Lets all ask for some time, and waits until they are answered.
     *
     * @param seed of what is asked for
     */
    Result wave(long waveMs, long seed) throws InterruptedException {
        Result all = new Result();
        ExecutorService threads = Executors.newFixedThreadPool(clients);
        try {
            List<Future<Result>> running = new ArrayList<>();
            for (int i = 0; i < clients; i++) {
                int index = i;
                running.add(threads.submit(() -> ask(index, waveMs, new Random(seed * clients + index))));
            }
            for (Future<Result> each : running) {
                all.add(each.get());
            }
        } catch (ExecutionException e) {
            throw new IllegalStateException("a client failed", e);
        } finally {
            threads.shutdownNow();
        }
        return all;
    }

    private Result ask(int index, long waveMs, Random random) {
        Result result = new Result();
        long startNs = System.nanoTime();
        double everyNs = clients * NANO / ratePerS;
        long count = Math.max(1, (long) (waveMs * 1e6 / everyNs));
        try (Socket plain = new Socket()) {
            plain.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), ANSWER_MS);
            plain.setSoTimeout(ANSWER_MS);
            plain.setTcpNoDelay(true);
            boolean isHttp2 = index % 2 == 0;
            try (SSLSocket secure = isHttp2 ? Insecure.socket(plain, HTTP2) : Insecure.socket(plain)) {
                secure.startHandshake();
                Result.record(result.connect, System.nanoTime() - startNs);
                Asker asker = isHttp2 ? new Http2Asker(secure) : new Http1Asker(secure);
                long fromNs = System.nanoTime();
                for (long i = 0; i < count; i++) {
                    long dueNs = fromNs + (long) (i * everyNs);
                    while (dueNs - System.nanoTime() > 0) {
                        LockSupport.parkNanos(dueNs - System.nanoTime());
                    }
                    Target target = targets.get(random.nextInt(targets.size()));
                    result.sent++;
                    Failure failure = asker.ask(target.path, new Check(target, result));
                    if (failure != null) {
                        result.count(failure, 1);
                        break; // the connection may be out of step
                    }
                    Result.record(result.latency, System.nanoTime() - dueNs);
                    result.responses++;
                }
            }
        } catch (SocketTimeoutException e) {
            result.count(Failure.TIMEOUT, 1);
        } catch (EOFException e) {
            result.count(Failure.CLOSED, 1);
        } catch (IOException e) {
            result.count(result.sent == 0 ? Failure.CONNECT : Failure.RESET, 1);
        }
        result.elapsedNs = System.nanoTime() - startNs;
        return result;
    }

    static byte[] get(String path) {
        return ("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n").getBytes(StandardCharsets.US_ASCII);
    }

    /** Compares a body with what it should be. */
    private static final class Check {
        private final Target target;
        private final Result result;
        private final CRC32C checksum = new CRC32C();
        private long length;

        Check(Target target, Result result) {
            this.target = target;
            this.result = result;
        }

        void add(byte[] bytes, int from, int count) {
            checksum.update(bytes, from, count);
            length += count;
            result.bytes += count;
        }

        /** Null if it was right. */
        @Nullable
        Failure end() {
            if (!target.accepts(length)) {
                return Failure.LENGTH;
            }
            return target.acceptsChecksum(checksum.getValue()) ? null : Failure.CHECKSUM;
        }
    }

    /** Speaks a protocol. */
    private interface Asker {
        /** Null if the answer was right. */
        @Nullable
        Failure ask(String path, Check check) throws IOException;
    }

    private static final class Http1Asker implements Asker {
        private final InputStream in;
        private final OutputStream out;

        Http1Asker(SSLSocket socket) throws IOException {
            in = socket.getInputStream();
            out = socket.getOutputStream();
        }

        @Override
        public @Nullable Failure ask(String path, Check check) throws IOException {
            out.write(get(path));
            String head = head();
            if (!head.startsWith("http/1.1 200 ")) {
                return head.startsWith("http/1.1 503 ") ? Failure.REFUSED : Failure.STATUS;
            }
            int field = head.indexOf(LENGTH_FIELD);
            if (field < 0) {
                return Failure.MALFORMED;
            }
            long rest = Long.parseLong(head.substring(field + LENGTH_FIELD.length(), head.indexOf('\r', field))
                    .strip());
            byte[] buffer = new byte[BUFFER_BYTES];
            while (rest > 0) {
                int count = in.read(buffer, 0, (int) Math.min(buffer.length, rest));
                if (count < 0) {
                    throw new EOFException("within a body");
                }
                check.add(buffer, 0, count);
                rest -= count;
            }
            return check.end();
        }

        /** In small letters. */
        private String head() throws IOException {
            ByteArrayOutputStream head = new ByteArrayOutputStream();
            int ends = 0;
            while (ends < 2) {
                int c = in.read();
                if (c < 0) {
                    throw new EOFException("within a head");
                }
                head.write(c);
                ends = c == '\n' ? ends + 1 : c == '\r' ? ends : 0;
            }
            return head.toString(StandardCharsets.ISO_8859_1).toLowerCase(Locale.ROOT);
        }
    }

    private static final class Http2Asker implements Asker {
        private final Http2Wire wire;
        private int stream = 1;

        Http2Asker(SSLSocket socket) throws IOException {
            if (!HTTP2.equals(socket.getApplicationProtocol())) {
                throw new IOException("the server does not speak HTTP/2");
            }
            wire = new Http2Wire(socket.getInputStream(), socket.getOutputStream());
            wire.begin();
        }

        @Override
        public @Nullable Failure ask(String path, Check check) throws IOException {
            wire.send(Http2Wire.get(stream, path));
            Frame head = wire.readAnswer();
            if (head.type == Http2Wire.GOAWAY || head.type == Http2Wire.RST_STREAM) {
                return Failure.CLOSED;
            }
            if (head.type != Http2Wire.HEADERS || head.stream != stream) {
                return Failure.MALFORMED;
            }
            if ((head.payload[0] & 0xff) != Http2Wire.STATUS_200) {
                return Failure.STATUS;
            }
            for (Frame frame = head; !frame.isEnd(); ) {
                frame = wire.readAnswer();
                if (frame.type != Http2Wire.DATA || frame.stream != stream) {
                    return frame.type == Http2Wire.DATA ? Failure.MALFORMED : Failure.CLOSED;
                }
                check.add(frame.payload, frame.from(), frame.length());
                int count = frame.payload.length;
                if (count > 0) {
                    byte[] more = Http2Wire.number(count);
                    wire.send(Http2Wire.frame(Http2Wire.WINDOW_UPDATE, 0, 0, more));
                    if (!frame.isEnd()) {
                        wire.send(Http2Wire.frame(Http2Wire.WINDOW_UPDATE, 0, stream, more));
                    }
                }
            }
            stream += 2;
            return check.end();
        }
    }
}
