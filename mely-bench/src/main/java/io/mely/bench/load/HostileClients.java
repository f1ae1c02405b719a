// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.load;

import io.mely.bench.load.ActBooks.End;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Clients that a server had better survive: each kind of {@link Act} in turn, some tens a second, and the slow ones of them all the time.
 *
 * <p><b>Bounds.</b> A slow client stays for {@link #AGE_MAX} rounds, so that at most some hundreds are there.
 */
final class HostileClients extends Hostile<HostileClients.Act> {
    /** What a client does. */
    enum Act {
        CONNECT_AND_GO,
        RESET_IN_HEAD,
        RESET_IN_BODY,
        HALF_CLOSE,
        GARBAGE,
        LARGE_HEAD,
        MANY_RANGES,
        PIPELINE_FLOOD,
        SLOW_HEAD,
        SLOW_BODY,
        SLOW_READER,
        SILENT
    }

    private static final long ROUND_NS = TimeUnit.MILLISECONDS.toNanos(100);

    /** Longer than the time-out for bodies that the soak sets, in rounds. */
    private static final int AGE_MAX = 100;

    /** A machine may halt server and clients alike for minutes. */
    private static final int ANSWER_MS = 600_000;

    private static final int LOOK_MS = 1;
    private static final int SMALL_BUFFER_BYTES = 4_096;
    private static final int FLOOD_REQUESTS = 200;
    private static final int RANGES = 200;
    private static final int LARGE_HEAD_BYTES = 100_000;
    private static final int GARBAGE_BYTES_MAX = 2_000;

    private final InetSocketAddress address;
    private final String small;
    private final String large;
    private final long largeBytes;
    private final Random random;
    private final List<Slow> slow = new ArrayList<>();

    /** One that stays. */
    private static final class Slow {
        final Act act;
        final Socket socket;
        int age;

        Slow(Act act, Socket socket) {
            this.act = act;
            this.socket = socket;
        }
    }

    /**
     * Clients of one server.
     *
     * @param small path of a small file
     * @param large path of one that fits into no socket's buffer
     * @param largeBytes its length
     */
    HostileClients(int port, String small, String large, long largeBytes, long seed) {
        super(Act.class, ROUND_NS);
        address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        this.small = small;
        this.large = large;
        this.largeBytes = largeBytes;
        random = new Random(seed);
    }

    @Override
    void look() {
        slow.removeIf(this::isOver);
    }

    @Override
    void leaveAll() {
        for (Iterator<Slow> each = slow.iterator(); each.hasNext(); each.remove()) {
            Slow client = each.next();
            reset(client.socket);
            books.end(client.act, End.LEFT);
        }
    }

    @Override
    void begin(Act act) {
        books.begin(act);
        Socket socket = new Socket();
        try {
            if (act == Act.RESET_IN_BODY || act == Act.SLOW_READER) {
                socket.setReceiveBufferSize(SMALL_BUFFER_BYTES);
            }
            socket.connect(address, ANSWER_MS);
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(ANSWER_MS);
        } catch (IOException e) {
            books.wrong(act, "cannot connect: " + e);
            return;
        }
        try {
            End end = beginOn(act, socket);
            if (end == null) {
                socket.setSoTimeout(LOOK_MS);
                slow.add(new Slow(act, socket));
                return;
            }
            reset(socket);
            books.end(act, end);
        } catch (IOException e) {
            // A server may reset a connection that sends what it does not read.
            reset(socket);
            if (act == Act.HALF_CLOSE) {
                books.wrong(act, e.toString());
            } else {
                books.end(act, End.CUT);
            }
        } catch (WrongAnswerException e) {
            reset(socket);
            books.wrong(act, String.valueOf(e.getMessage()));
        }
    }

    /** How it ended; null if it goes on. */
    private @Nullable End beginOn(Act act, Socket socket) throws IOException, WrongAnswerException {
        switch (act) {
            case CONNECT_AND_GO -> {
                return End.LEFT;
            }
            case RESET_IN_HEAD -> {
                send(socket, "GET " + small + " HTTP/1.1\r\nHo");
                return End.LEFT;
            }
            case RESET_IN_BODY -> {
                send(socket, get(large, ""));
                expect(200, socket);
                return End.LEFT;
            }
            case HALF_CLOSE -> {
                send(socket, get(large, ""));
                socket.shutdownOutput();
                String head = head(socket.getInputStream());
                long body = socket.getInputStream().transferTo(OutputStream.nullOutputStream());
                if (!head.startsWith("HTTP/1.1 200") || body != largeBytes) {
                    throw new WrongAnswerException(body + " bytes after " + head);
                }
                return End.ANSWERED;
            }
            case GARBAGE -> {
                byte[] bytes = new byte[1 + random.nextInt(GARBAGE_BYTES_MAX)];
                random.nextBytes(bytes);
                socket.getOutputStream().write(bytes);
                send(socket, "\r\n\r\n\r\n\r\n");
                String head = head(socket.getInputStream());
                if (!head.isEmpty() && !head.startsWith("HTTP/1.1 4") && !head.startsWith("HTTP/1.1 5")) {
                    throw new WrongAnswerException(head);
                }
                return head.isEmpty() ? End.CUT : End.ANSWERED;
            }
            case LARGE_HEAD -> {
                send(
                        socket,
                        "GET " + small + " HTTP/1.1\r\nHost: x\r\nX: " + "y".repeat(LARGE_HEAD_BYTES) + "\r\n\r\n");
                expect(431, socket);
                return End.ANSWERED;
            }
            case MANY_RANGES -> {
                StringBuilder ranges = new StringBuilder("Range: bytes=0-");
                for (int i = 0; i < RANGES; i++) {
                    ranges.append(",").append(i * 7).append('-').append(i * 11 + 1);
                }
                send(socket, get(small, ranges.append("\r\n").toString()));
                expect(206, socket); // they overlap, and are one part: the whole file
                return End.ANSWERED;
            }
            case PIPELINE_FLOOD -> {
                send(socket, get(small, "").repeat(FLOOD_REQUESTS));
                expect(200, socket);
                return End.LEFT;
            }
            case SLOW_HEAD -> {
                send(socket, "GET " + small + " HTTP/1.1\r\nHost: x\r\nX-Slow: ");
                return null;
            }
            case SLOW_BODY -> {
                send(socket, "POST " + small + " HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n");
                return null;
            }
            case SLOW_READER -> {
                send(socket, get(large, ""));
                return null;
            }
            case SILENT -> {
                return null;
            }
        }
        throw new AssertionError(act);
    }

    /** A byte more in either direction; true when it has ended. */
    private boolean isOver(Slow client) {
        client.age++;
        try {
            if (client.act == Act.SLOW_HEAD || client.act == Act.SLOW_BODY) {
                client.socket.getOutputStream().write('x');
            }
            int c = client.socket.getInputStream().read();
            if (c < 0) {
                return over(client, End.CUT);
            }
            if (client.act != Act.SLOW_READER) {
                client.socket.setSoTimeout(ANSWER_MS);
                String rest = head(client.socket.getInputStream());
                if (!rest.startsWith("TTP/1.1 4")) {
                    reset(client.socket);
                    books.wrong(client.act, rest);
                    return true;
                }
                return over(client, End.ANSWERED);
            }
        } catch (SocketTimeoutException e) {
            // nothing yet
        } catch (IOException e) {
            return over(client, End.CUT);
        }
        return client.age > AGE_MAX && over(client, End.LEFT);
    }

    private boolean over(Slow client, End end) {
        reset(client.socket);
        books.end(client.act, end);
        return true;
    }

    private static String get(String path, String fields) {
        return "GET " + path + " HTTP/1.1\r\nHost: x\r\n" + fields + "\r\n";
    }

    private static void send(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    private static void expect(int status, Socket socket) throws IOException, WrongAnswerException {
        String head = head(socket.getInputStream());
        if (!head.startsWith("HTTP/1.1 " + status)) {
            throw new WrongAnswerException(head);
        }
    }

    /** Up to and with the empty line, or the end. */
    private static String head(InputStream in) throws IOException {
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        for (int c = in.read(); c >= 0; c = in.read()) {
            head.write(c);
            if (c == '\n' && head.toString(StandardCharsets.ISO_8859_1).endsWith("\r\n\r\n")) {
                break;
            }
        }
        return head.toString(StandardCharsets.ISO_8859_1);
    }
}
