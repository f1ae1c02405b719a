// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.load;

import io.mely.bench.load.Result.Failure;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.unix.Buffer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A thread's share of the virtual clients.
 *
 * <p>Closed loop: a client asks again as soon as it has been answered. Open loop: requests fall due whether or not earlier ones are answered;
 * one that finds no free connection waits for one, and its latency counts from the instant it was due. A server that stalls is thus charged
 * for all requests that it kept from being sent (no coordinated omission). What is due and not answered at the end is counted, and its
 * waiting so far recorded.
 *
 * <p><b>Threads.</b> One runs it; others look at {@link #responsesSoFar} and {@link #errorsSoFar}.
 */
final class ClientLoop implements Runnable {
    static final int BUFFER_BYTES = 256 << 10;

    static final int SERVICE_UNAVAILABLE = 503;

    /** Of all that one client has asked for and could not send. */
    static final int OUT_BYTES = 256 << 10;

    /** How often those that wait too long are looked for. */
    private static final long SCAN_NS = 100_000_000;
    /** An open loop wakes so much early, and looks at the clock until then: the kernel's timers are some 50 us late. */
    private static final long EARLY_NS = 60_000;

    private static final long NS_PER_MS = 1_000_000;

    /** Requests to be sent together, as bytes. */
    static final class Batch {
        final ByteBuffer memory; // keeps the address alive
        final long address;
        final int bytes;
        final Target[] targets;
        final long thinkNs;

        Batch(byte[] request, Target[] targets, long thinkNs) {
            memory = ByteBuffer.allocateDirect(request.length).order(ByteOrder.nativeOrder());
            memory.put(0, request);
            address = Buffer.memoryAddress(memory);
            bytes = request.length;
            this.targets = targets;
            this.thinkNs = thinkNs;
        }
    }

    final Plan plan;
    final InetSocketAddress address;
    final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    final long bufferAddress = Buffer.memoryAddress(buffer);
    final ResponseParser parser = new ResponseParser();

    /** What is read, as HPACK's decoder takes it. */
    final ByteBuf bufferBytes = Unpooled.wrappedBuffer(buffer);

    /** For what is written now and then. */
    final ByteBuffer out = ByteBuffer.allocateDirect(OUT_BYTES).order(ByteOrder.nativeOrder());

    final long outAddress = Buffer.memoryAddress(out);
    final boolean hasSessions;

    /** An open loop in which each request has a connection of its own: nobody connects before one is due. */
    final boolean isConnectedWhenDue;

    private final int index;
    private final VirtualClient[] clients;
    private final Batch[][] sessions;
    private int nextSession;

    /** Of a target; null if they come in turn. */
    private final @Nullable WeightedChoice choice;

    private final Epoll epoll = new Epoll();
    private @Nullable ClientConnection[] byFd = new @Nullable ClientConnection[1_024];
    private final PriorityQueue<VirtualClient> timers;

    /** As often as it could ask now. */
    private final VirtualClient[] idle;

    private int idleCount;

    private final Result result = new Result();
    private final SplittableRandom random;
    private final double gapNs;
    private double nextDueNs;

    // set when all loops are ready
    private long startNs;
    private long measureFromNs;
    private long endNs;
    private long scannedNs;
    private long responsesInAll;
    private long errorsInAll;

    private volatile long responsesSoFar;
    private volatile long errorsSoFar;
    private volatile boolean isStopped;

    /**
     * A loop, which does not run yet.
     *
     * @param plan of all loops
     * @param address of the server
     * @param index of this loop
     * @param loops in all
     */
    ClientLoop(Plan plan, InetSocketAddress address, int index, int loops) throws IOException {
        this.plan = plan;
        this.address = address;
        this.index = index;
        clients = new VirtualClient[plan.clients() / loops + (index < plan.clients() % loops ? 1 : 0)];
        Arrays.setAll(clients, i -> plan.streams() == 0 ? new Client(this) : new Http2Client(this));
        idle = new VirtualClient[clients.length * Math.max(1, plan.streams())];
        timers = new PriorityQueue<>(Math.max(1, clients.length), Comparator.comparingLong(c -> c.wakeNs));
        List<Session> log = plan.sessions();
        hasSessions = !log.isEmpty();
        isConnectedWhenDue = plan.isOpen() && plan.perConnection() == 1 && !hasSessions;
        sessions = hasSessions
                ? log.stream().map(this::batches).toArray(Batch[][]::new)
                : new Batch[][] {
                    batches(new Session(plan.targets().stream()
                            .map(t -> new Session.Burst(List.of(t), 0))
                            .toList()))
                };
        nextSession = index;
        choice = choice(plan.targets());
        random = new SplittableRandom(plan.seed() * 31 + index);
        gapNs = 1e9 * loops / plan.ratePerS();
        // Evenly spaced arrivals of several loops fall between each other.
        nextDueNs = plan.isOpen() ? (plan.isPoisson() ? gap() : gapNs * (index + 1) / loops) : Double.POSITIVE_INFINITY;
    }

    private static @Nullable WeightedChoice choice(List<Target> targets) {
        double[] weights = targets.stream().mapToDouble(t -> t.weight).toArray();
        return Arrays.stream(weights).distinct().count() == 1 ? null : new WeightedChoice(weights);
    }

    private Batch[] batches(Session session) {
        return session.bursts().stream()
                .map(burst -> {
                    StringBuilder host = new StringBuilder(plan.host());
                    if (plan.host().indexOf(':') >= 0) {
                        host.insert(0, '[').append(']');
                    }
                    String authority = host + ":" + plan.port();
                    byte[] bytes = {};
                    for (Target target : burst.targets()) {
                        byte[] request = plan.streams() == 0
                                ? target.request(authority, plan.headers())
                                : Http2Bytes.request(target, authority, plan.headers());
                        int end = bytes.length;
                        bytes = Arrays.copyOf(bytes, end + request.length);
                        System.arraycopy(request, 0, bytes, end, request.length);
                    }
                    Target[] copies = burst.targets().stream().map(Target::copy).toArray(Target[]::new);
                    return new Batch(bytes, copies, burst.thinkNs());
                })
                .toArray(Batch[]::new);
    }

    // ------------------------------------------------------------------ what its clients call

    void watch(int fd, ClientConnection connection) throws IOException {
        if (fd >= byFd.length) {
            byFd = Arrays.copyOf(byFd, Math.max(fd + 1, byFd.length * 2));
        }
        byFd[fd] = connection;
        epoll.add(fd);
    }

    void unwatch(int fd) {
        byFd[fd] = null;
    }

    /** A client has one timer: the last one counts. */
    void wakeAt(VirtualClient client, long wakeNs) {
        if (client.isTimed) {
            timers.remove(client);
        }
        client.isTimed = true;
        client.wakeNs = wakeNs;
        timers.add(client);
    }

    /** Sessions of the log come in turn; each loop begins at another one. */
    Batch[] nextSession() {
        return sessions[Math.floorMod(nextSession++, sessions.length)];
    }

    /** Without a log: the paths come in turn or by their weights, whichever client asks. */
    Batch nextTarget() {
        Batch[] targets = sessions[0];
        return targets[choice != null ? choice.next(random) : Math.floorMod(nextSession++, targets.length)];
    }

    /** A client has nothing to do: it gets what is due, or waits for it. */
    void free(VirtualClient client, long nowNs) {
        if (!plan.isOpen()) {
            client.begin(nowNs, nowNs);
        } else if (isDue(nowNs)) {
            client.begin(takeDue(), nowNs);
        } else {
            idle[idleCount++] = client;
        }
    }

    /** Its connection is gone. */
    void noLongerFree(VirtualClient client) {
        for (int i = idleCount - 1; i >= 0; i--) {
            if (idle[i] == client) {
                idle[i] = idle[--idleCount];
            }
        }
    }

    private boolean isMeasured(long ns) {
        return ns - measureFromNs >= 0 && ns - endNs < 0;
    }

    void connected(long nowNs, long tookNs) {
        if (isMeasured(nowNs)) {
            Result.record(result.connect, tookNs);
        }
    }

    void sessionDone(long nowNs) {
        if (isMeasured(nowNs)) {
            result.sessions++;
        }
    }

    void answered(@Nullable Failure failure, long dueNs, long sentNs, long nowNs, long bytes) {
        responsesInAll++;
        if (failure != null) {
            errorsInAll++;
        }
        if (failure == null && isMeasured(nowNs)) {
            result.arrived++;
        }
        // An open loop has promised requests, a closed one counts answers.
        if (!isMeasured(plan.isOpen() ? dueNs : nowNs)) {
            return;
        }
        if (failure != null) {
            result.count(failure, 1);
            if (failure == Failure.REFUSED) {
                Result.record(result.refusal, nowNs - sentNs);
            }
            return;
        }
        result.responses++;
        result.bytes += bytes;
        Result.record(result.latency, nowNs - dueNs);
        Result.record(result.service, nowNs - sentNs);
    }

    /** What is wrong with a whole response; null if nothing. */
    @Nullable
    Failure judge(Target target, int status, long bodyBytes, CRC32C checksum) {
        if (status != target.status) {
            return status == SERVICE_UNAVAILABLE ? Failure.REFUSED : Failure.STATUS;
        }
        if (!target.accepts(bodyBytes)) {
            return Failure.LENGTH;
        }
        return plan.isChecked() && !target.acceptsChecksum(checksum.getValue()) ? Failure.CHECKSUM : null;
    }

    /** Adds some bytes of the buffer to a checksum, if bodies are checked. */
    void add(CRC32C checksum, int from, int count) {
        if (plan.isChecked() && count > 0) {
            checksum.update(buffer.limit(from + count).position(from));
            buffer.clear();
        }
    }

    void received(int bytes, long nowNs) {
        if (isMeasured(nowNs)) {
            result.receivedBytes += bytes;
        }
    }

    void failed(Failure failure, int requests, long dueNs, long nowNs) {
        errorsInAll += requests;
        if (isMeasured(plan.isOpen() ? dueNs : nowNs)) {
            result.count(failure, requests);
        }
    }

    // ------------------------------------------------------------------ arrivals

    private double gap() {
        return plan.isPoisson() ? -Math.log(1 - random.nextDouble()) * gapNs : gapNs;
    }

    private boolean isDue(long nowNs) {
        return nextDueNs <= nowNs - startNs && nextDueNs < endNs - startNs;
    }

    private long takeDue() {
        long dueNs = startNs + (long) nextDueNs;
        nextDueNs += gap();
        return dueNs;
    }

    private void sendDue(long nowNs) {
        while (idleCount > 0 && isDue(nowNs)) {
            long dueNs = takeDue();
            if (isMeasured(dueNs)) {
                Result.record(result.late, nowNs - dueNs);
            }
            idle[--idleCount].begin(dueNs, nowNs);
        }
    }

    // ------------------------------------------------------------------ the thread

    /**
     * Says when all begin. Before {@link #run}.
     *
     * @param ns by {@link System#nanoTime}
     */
    void beginAt(long ns) {
        startNs = ns;
        measureFromNs = startNs + plan.warmMs() * NS_PER_MS;
        endNs = measureFromNs + plan.measureMs() * NS_PER_MS;
    }

    @Override
    public void run() {
        try {
            loop();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            for (VirtualClient client : clients) {
                client.close();
            }
            try {
                epoll.close();
            } catch (IOException e) {
                // Nothing depends on it any more.
            }
        }
    }

    private void loop() throws IOException {
        long cpuFromNs = -1;
        long cpuUntilNs = -1;
        long allocatedFromBytes = 0;
        for (VirtualClient client : clients) {
            wakeAt(client, startNs);
        }
        while (!isStopped) {
            long nowNs = System.nanoTime();
            if (cpuFromNs < 0 && nowNs - measureFromNs >= 0) {
                cpuFromNs = cpuNs();
                allocatedFromBytes = allocatedBytes();
            }
            if (nowNs - endNs >= 0 && cpuUntilNs < 0) {
                cpuUntilNs = cpuNs();
            }
            if (nowNs - endNs >= 0 && isOver(nowNs)) {
                break;
            }
            for (VirtualClient due = timers.peek(); due != null && due.wakeNs - nowNs <= 0; due = timers.peek()) {
                timers.remove();
                due.isTimed = false;
                due.wake(nowNs);
            }
            sendDue(nowNs);
            if (nowNs - scannedNs >= SCAN_NS) {
                scan(nowNs);
            }
            int events = epoll.await(waitNs(System.nanoTime()));
            nowNs = System.nanoTime();
            for (int i = 0; i < events; i++) {
                ClientConnection connection = byFd[epoll.fd(i)];
                if (connection != null) {
                    connection.onEvent(epoll.flags(i), nowNs);
                    nowNs = System.nanoTime();
                }
            }
            responsesSoFar = responsesInAll;
            errorsSoFar = errorsInAll;
        }
        result.allocatedBytes = cpuFromNs < 0 ? 0 : allocatedBytes() - allocatedFromBytes;
        finish(System.nanoTime(), cpuFromNs < 0 || cpuUntilNs < 0 ? 0 : cpuUntilNs - cpuFromNs);
    }

    /** An open loop goes on until all are answered that were due, for as long as a time-out. */
    private boolean isOver(long nowNs) {
        return !plan.isOpen()
                || nowNs - endNs >= plan.timeoutMs() * NS_PER_MS
                || (nextDueNs >= endNs - startNs && Arrays.stream(clients).noneMatch(c -> c.unanswered() > 0));
    }

    private long waitNs(long nowNs) {
        long untilNs = nowNs - endNs < 0 ? Math.min(nowNs + SCAN_NS, endNs) : nowNs + NS_PER_MS;
        if (nowNs - measureFromNs < 0) {
            untilNs = Math.min(untilNs, measureFromNs);
        }
        VirtualClient timer = timers.peek();
        if (timer != null) {
            untilNs = Math.min(untilNs, timer.wakeNs);
        }
        if (idleCount > 0 && nextDueNs < endNs - startNs) {
            long dueNs = startNs + (long) nextDueNs;
            untilNs = Math.min(untilNs, dueNs - EARLY_NS > nowNs ? dueNs - EARLY_NS : nowNs);
        }
        return Math.max(0, untilNs - nowNs);
    }

    private void scan(long nowNs) {
        scannedNs = nowNs;
        for (VirtualClient client : clients) {
            client.giveUp(plan.timeoutMs() * NS_PER_MS, nowNs);
        }
    }

    private void finish(long nowNs, long cpuNs) {
        result.elapsedNs = endNs - measureFromNs;
        result.cpuNs = cpuNs;
        if (!plan.isOpen()) {
            return;
        }
        for (VirtualClient client : clients) {
            client.leave(nowNs);
        }
        while (nextDueNs < endNs - startNs) {
            unanswered(1, takeDue(), nowNs);
        }
    }

    /** At the end of an open loop: so many that were due then have not been answered. */
    void unanswered(int requests, long dueNs, long nowNs) {
        if (!isMeasured(dueNs)) {
            return;
        }
        result.count(Failure.UNANSWERED, requests);
        for (int i = 0; i < requests; i++) {
            Result.record(result.latency, nowNs - dueNs);
        }
    }

    private static long cpuNs() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    private static long allocatedBytes() {
        return ManagementFactory.getThreadMXBean() instanceof com.sun.management.ThreadMXBean bean
                ? bean.getThreadAllocatedBytes(Thread.currentThread().getId())
                : 0;
    }

    // ------------------------------------------------------------------ others

    void stop() {
        isStopped = true;
    }

    long responsesSoFar() {
        return responsesSoFar;
    }

    long errorsSoFar() {
        return errorsSoFar;
    }

    /** After {@link #run} has returned. */
    Result result() {
        return result;
    }

    @Override
    public String toString() {
        return "ClientLoop[index=" + index + ", clients=" + clients.length + ", idle=" + idleCount + "]";
    }
}
