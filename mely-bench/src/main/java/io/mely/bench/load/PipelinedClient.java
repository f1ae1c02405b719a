// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.load;

import io.netty.channel.epoll.LinuxSocket;
import io.netty.channel.socket.SocketProtocolFamily;
import io.netty.channel.unix.Buffer;
import java.io.Closeable;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.LongSupplier;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Sends the requests of a plan when they are due, whether or not earlier ones of the connection are answered (HTTP pipelining), and checks each answer: its
 * status, its place in the order of the connection, and its result.
 *
 * <p>Latency counts from the planned instant (no coordinated omission).
 *
 * <p><b>Threads.</b> One, the caller's.
 */
final class PipelinedClient implements Closeable {
    private static final int BUFFER_BYTES = 64 << 10;
    /** Unanswered requests of a connection; what is due beyond them waits here. Netty's codec closes a connection with 128. */
    private static final int DEPTH_MAX = 64;

    private static final int STATUS_OK = 200;
    private static final long CONNECT_NS = 20_000_000_000L;
    /** Wakes so much early, and looks at the clock until then: the kernel's timers are some 50 us late. */
    private static final long EARLY_NS = 60_000;

    private static final long TICK_NS = 1_000_000;
    /** A slow result takes as long to check as to compute. */
    private static final int SLOW_CHECKS = 16;

    /** An answer is missing, or not what it should be. */
    static final class WrongAnswerException extends IOException {
        WrongAnswerException(String message) {
            super(message);
        }
    }

    /**
     * What was measured; histograms in nanoseconds.
     *
     * @param fast from the planned instant of a fast request to its answer
     * @param apart the same of those that came when their connection owed no answer to a slow one, behind which HTTP/1.1 would keep theirs
     * @param slow the same of slow ones
     * @param late how much later than planned the client looked at requests: its own fault
     * @param elapsedNs from the first measured request to the last answer
     * @param serverCpuNs in that time
     * @param clientCpuNs in that time
     */
    record Outcome(
            Histogram fast,
            Histogram apart,
            Histogram slow,
            Histogram late,
            long elapsedNs,
            long serverCpuNs,
            long clientCpuNs) {}

    private static final class Connection {
        final LinuxSocket socket = LinuxSocket.newSocketStream(SocketProtocolFamily.INET);
        final Deque<Integer> unanswered = new ArrayDeque<>();
        /** Due, and not sent. */
        final Deque<Integer> waiting = new ArrayDeque<>();

        /** Of those two, slow ones. */
        int slow;

        boolean isConnected;
        /** The begin of an answer that has not arrived as a whole. */
        byte[] rest = {};
    }

    private final SlowPlan plan;
    private final SlowService service;
    private final Epoll epoll;
    private final Connection[] connections;
    private final @Nullable Connection[] byFd;
    private final ByteBuffer out = ByteBuffer.allocateDirect(1 << 10).order(ByteOrder.nativeOrder());
    private final long outAddress = Buffer.memoryAddress(out);
    private final ByteBuffer in = ByteBuffer.allocateDirect(BUFFER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private final long inAddress = Buffer.memoryAddress(in);
    private final ResponseParser parser = new ResponseParser();

    private final long[] lookedNs;
    private final long[] answeredNs;
    private final long[] results;
    private final boolean[] isBehindSlow;
    private int answered;

    /** Connects. */
    PipelinedClient(InetSocketAddress address, SlowPlan plan, SlowService service) throws IOException {
        this.plan = plan;
        this.service = service;
        lookedNs = new long[plan.requests()];
        answeredNs = new long[plan.requests()];
        results = new long[plan.requests()];
        isBehindSlow = new boolean[plan.requests()];
        epoll = new Epoll();
        connections = new Connection[plan.connections()];
        int fdMax = 0;
        for (int i = 0; i < connections.length; i++) {
            connections[i] = new Connection();
            fdMax = Math.max(fdMax, connections[i].socket.intValue());
        }
        byFd = new @Nullable Connection[fdMax + 1];
        for (Connection connection : connections) {
            connection.socket.setTcpNoDelay(true);
            byFd[connection.socket.intValue()] = connection;
            epoll.add(connection.socket.intValue());
            connection.isConnected = connection.socket.connect(address);
        }
        awaitConnected();
    }

    private void awaitConnected() throws IOException {
        long endNs = System.nanoTime() + CONNECT_NS;
        int left = connections.length;
        for (Connection connection : connections) {
            left -= connection.isConnected ? 1 : 0;
        }
        while (left > 0) {
            int events = epoll.await(TICK_NS);
            for (int i = 0; i < events; i++) {
                Connection connection = byFd[epoll.fd(i)];
                if (connection != null && !connection.isConnected && connection.socket.finishConnect()) {
                    connection.isConnected = true;
                    left--;
                }
            }
            if (System.nanoTime() - endNs > 0) {
                throw new IOException("the server does not accept: connections missing=" + left);
            }
        }
    }

    /**
     * Runs the plan.
     *
     * @param serverCpu CPU time of the server so far
     * @param timeoutNs after the last request, until all must be answered
     * @throws WrongAnswerException if an answer is missing or wrong
     * @throws IOException if a connection breaks
     */
    Outcome run(LongSupplier serverCpu, long timeoutNs) throws IOException {
        long startNs = System.nanoTime();
        long clockNs = startNs;
        long serverCpuNs = 0;
        long clientCpuNs = 0;
        boolean isMeasuring = false;
        int requests = plan.requests();
        int next = 0;
        while (answered < requests) {
            long nowNs = System.nanoTime();
            while (next < requests && nowNs - startNs >= plan.plannedNs(next)) {
                if (!isMeasuring && plan.isMeasured(next)) {
                    isMeasuring = true;
                    serverCpuNs = serverCpu.getAsLong();
                    clientCpuNs = cpuNs();
                    clockNs = System.nanoTime();
                }
                due(next++);
                nowNs = System.nanoTime();
            }
            long waitNs = next < requests ? startNs + plan.plannedNs(next) - EARLY_NS - nowNs : TICK_NS;
            if (next == requests && nowNs - startNs - plan.plannedNs(requests - 1) > timeoutNs) {
                throw new WrongAnswerException("answers are missing: " + (requests - answered) + " of " + requests);
            }
            int events = epoll.await(Math.max(0, waitNs));
            for (int i = 0; i < events; i++) {
                Connection connection = byFd[epoll.fd(i)];
                if (connection != null && (epoll.flags(i) & (Epoll.IN | Epoll.GONE)) != 0) {
                    read(connection);
                }
            }
        }
        long elapsedNs = System.nanoTime() - clockNs;
        serverCpuNs = serverCpu.getAsLong() - serverCpuNs;
        clientCpuNs = cpuNs() - clientCpuNs;
        check();
        return outcome(startNs, elapsedNs, serverCpuNs, clientCpuNs);
    }

    private static long cpuNs() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    private void due(int request) throws IOException {
        lookedNs[request] = System.nanoTime();
        Connection connection = connections[plan.connectionOf(request)];
        isBehindSlow[request] = connection.slow != 0;
        connection.slow += plan.isSlow(request) ? 1 : 0;
        if (connection.unanswered.size() < DEPTH_MAX) {
            send(connection, request);
        } else {
            connection.waiting.add(request);
        }
    }

    private void send(Connection connection, int request) throws IOException {
        String path = (plan.isSlow(request) ? SlowService.SLOW : SlowService.FAST) + request;
        byte[] bytes = ("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n").getBytes(StandardCharsets.ISO_8859_1);
        out.put(0, bytes);
        connection.unanswered.add(request);
        // A socket's buffer has room for far more than as many requests as may be unanswered.
        if (connection.socket.sendAddress(outAddress, 0, bytes.length) != bytes.length) {
            throw new WrongAnswerException("the server no longer reads: request=" + request);
        }
    }

    /** Reads what there is; a short read is the last one, as epoll tells of what comes later. */
    private void read(Connection connection) throws IOException {
        while (true) {
            int rest = connection.rest.length;
            in.put(0, connection.rest);
            int count = connection.socket.recvAddress(inAddress, rest, BUFFER_BYTES);
            if (count == 0) {
                return;
            }
            if (count < 0) {
                throw new WrongAnswerException("the server closed a connection");
            }
            consume(connection, rest + count);
            if (rest + count < BUFFER_BYTES) {
                return;
            }
        }
    }

    private void consume(Connection connection, int limit) throws IOException {
        long nowNs = System.nanoTime();
        int at = 0;
        while (at < limit) {
            int body = parser.parse(in, at, limit);
            if (body == ResponseParser.MALFORMED) {
                throw new WrongAnswerException("not an HTTP response this can read");
            }
            if (body == ResponseParser.INCOMPLETE || body + parser.contentLength() > limit) {
                break;
            }
            at = body + (int) parser.contentLength();
            byte[] bytes = new byte[at - body];
            in.get(body, bytes);
            answer(connection, new String(bytes, StandardCharsets.ISO_8859_1), nowNs);
        }
        connection.rest = new byte[limit - at];
        in.get(at, connection.rest);
    }

    private void answer(Connection connection, String body, long nowNs) throws IOException {
        Integer request = connection.unanswered.poll();
        if (request == null || parser.status() != STATUS_OK) {
            throw new WrongAnswerException("status " + parser.status() + ", request=" + request);
        }
        int number = SlowService.numberOf(body);
        if (number != request) {
            throw new WrongAnswerException("out of order: request " + request + ", answer to " + number);
        }
        results[request] = SlowService.resultOf(body);
        answeredNs[request] = nowNs;
        answered++;
        connection.slow -= plan.isSlow(request) ? 1 : 0;
        Integer next = connection.waiting.poll();
        if (next != null) {
            send(connection, next);
        }
    }

    /** All fast results, and some slow ones. */
    private void check() throws IOException {
        int slowLeft = SLOW_CHECKS;
        for (int i = 0; i < results.length; i++) {
            boolean isSlow = plan.isSlow(i);
            if ((!isSlow || slowLeft-- > 0) && results[i] != service.result(isSlow, i)) {
                throw new WrongAnswerException("wrong result: request=" + i);
            }
        }
    }

    private Outcome outcome(long startNs, long elapsedNs, long serverCpuNs, long clientCpuNs) {
        Outcome outcome = new Outcome(
                new Histogram(3),
                new Histogram(3),
                new Histogram(3),
                new Histogram(3),
                elapsedNs,
                serverCpuNs,
                clientCpuNs);
        for (int i = 0; i < results.length; i++) {
            if (plan.isMeasured(i)) {
                long dueNs = startNs + plan.plannedNs(i);
                long answeredAfterNs = answeredNs[i] - dueNs;
                (plan.isSlow(i) ? outcome.slow() : outcome.fast()).recordValue(answeredAfterNs);
                if (!plan.isSlow(i) && !isBehindSlow[i]) {
                    outcome.apart().recordValue(answeredAfterNs);
                }
                outcome.late().recordValue(Math.max(0, lookedNs[i] - dueNs));
            }
        }
        return outcome;
    }

    @Override
    public void close() throws IOException {
        for (Connection connection : connections) {
            connection.socket.close();
        }
        epoll.close();
    }
}
