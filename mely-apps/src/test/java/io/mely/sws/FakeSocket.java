// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import io.mely.net.ColoredSocket;
import io.mely.net.OpenFile;
import io.mely.net.ReadinessHandler;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** A socket of a test that steps the server: its client takes whatever comes at once, and its system calls take virtual time. */
final class FakeSocket implements ColoredSocket {
    private static final Duration CALL = Duration.ofNanos(2_000);

    /** 5 GB/s. */
    private static final int BYTES_PER_NS = 5;

    private final int id;
    private final Consumer<Duration> work;
    private ByteBuffer input = ByteBuffer.allocate(0);
    private @Nullable ReadinessHandler handler;
    private @Nullable Object attachment;
    private int core = -1;
    private boolean isClosed;
    private Runnable onTaken = () -> {};
    private Runnable onRegistered = () -> {};
    private Runnable onClosed = () -> {};
    private LongSupplier silence = () -> -1;

    /** Bytes that the client has taken. */
    long taken;

    /** Calls that brought it some. */
    long writes;

    FakeSocket(int id, Consumer<Duration> work) {
        this.id = id;
        this.work = work;
    }

    /** What the client sends next; then {@link #report}. */
    void send(byte[] bytes) {
        input = ByteBuffer.wrap(bytes);
    }

    /** Called whenever the client has taken something. */
    void onTaken(Runnable listener) {
        onTaken = listener;
    }

    /** Called when the server listens to it, so that the first report can come. */
    void onRegistered(Runnable listener) {
        onRegistered = listener;
    }

    void onClosed(Runnable listener) {
        onClosed = listener;
    }

    /** What {@link #silentNs} says. */
    void silence(LongSupplier ns) {
        silence = ns;
    }

    /** The loop's report, if it is registered. */
    void report() {
        if (handler != null) {
            handler.onReady(this, READ);
        }
    }

    @Override
    public long silentNs() {
        return silence.getAsLong();
    }

    @Override
    public int read(ByteBuffer dst) {
        work.accept(CALL);
        int length = Math.min(dst.remaining(), input.remaining());
        dst.put(input.slice().limit(length));
        input.position(input.position() + length);
        return length;
    }

    private long take(long bytes) {
        work.accept(CALL.plusNanos(bytes / BYTES_PER_NS));
        taken += bytes;
        writes++;
        onTaken.run();
        return bytes;
    }

    @Override
    public int write(ByteBuffer src) {
        int length = src.remaining();
        src.position(src.limit());
        return (int) take(length);
    }

    @Override
    public int writeBeforeMore(ByteBuffer src) {
        return write(src);
    }

    @Override
    public long write(ByteBuffer[] srcs, int offset, int count) {
        long sum = 0;
        for (int i = offset; i < offset + count; i++) {
            sum += write(srcs[i]);
        }
        return sum;
    }

    @Override
    public long sendFile(OpenFile file, long position, long count) {
        return take(count);
    }

    @Override
    public void register(int newCore, ReadinessHandler newHandler) {
        core = newCore;
        handler = newHandler;
        onRegistered.run();
    }

    @Override
    public int id() {
        return id;
    }

    @Override
    public int core() {
        return core;
    }

    @Override
    public void awaitWritable() {
        throw new AssertionError("all is taken at once");
    }

    @Override
    public void shutdownOutput() {
        close();
    }

    @Override
    public void close() {
        if (!isClosed) {
            isClosed = true;
            handler = null;
            onClosed.run();
        }
    }

    @Override
    public boolean isOpen() {
        return !isClosed;
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), id);
    }

    @Override
    public void attach(@Nullable Object newAttachment) {
        attachment = newAttachment;
    }

    @Override
    public Object attachment() {
        return Objects.requireNonNull(attachment);
    }
}
