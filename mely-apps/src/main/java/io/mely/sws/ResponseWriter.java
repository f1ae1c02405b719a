// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import io.mely.net.OpenFile;
import io.mely.sws.Connection.State;
import io.mely.sws.files.FileEntry;
import io.mely.sws.http.ByteRange;
import io.mely.sws.http.MultipartRanges;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;

/**
 * The stages WriteResponse and WriteFile: the connection's output in one write(2), or with a body from the cache in one writev(2); then the
 * file, in slices between which others have their turn. Small parts of several ranges go out together. What the kernel does not take waits for the loop's report.
 *
 * <p><b>Threads.</b> The color of the connection that is passed. <b>Costs.</b> One system call for a small response.
 */
final class ResponseWriter {
    /** Of several ranges: a copy of so much takes no longer than a system call more. A guess. */
    private static final int COPIED_PART_BYTES_MAX = 4 << 10;

    /** Of these in one event. A guess. */
    private static final int COPIED_PARTS_MAX = 16;

    private final ServerContext server;
    private final SwsStages stages;
    private final ConnectionLife life;
    private final int sliceBytes;

    ResponseWriter(ServerContext server, SwsStages stages, ConnectionLife life) {
        this.server = server;
        this.stages = stages;
        this.life = life;
        sliceBytes = server.config.bytes(SwsSettings.SLICE);
    }

    /** The stage WriteResponse. */
    void write(Connection c) {
        if (c.state == State.MULTIPLEXING) {
            if (!isPaced(c)) {
                Objects.requireNonNull(c.http2).write();
            }
            return;
        }
        if (c.state != State.WRITING || isPaced(c)) {
            return; // reported once more than asked, or closed meanwhile
        }
        try {
            if (c.parts != null && !c.hasFile()) {
                fillOrFlush(c, c.parts);
            }
            if (!writeMemory(c, c.held())) {
                return;
            }
            if (c.hasFile()) {
                c.held().leaveRegion(); // all that was in there is written, and the file may be long
                stages.sendWriteFile(c);
            } else {
                writeRest(c);
            }
        } catch (IOException e) {
            life.lost(c, e);
        }
    }

    /** The stage WriteFile. What is in memory comes first here, too: where a report came too often there may be another response by now. */
    void writeFile(Connection c) {
        if (c.state != State.WRITING || isPaced(c)) {
            return; // as above
        }
        try {
            if (writeMemory(c, c.held()) && (!c.hasFile() || writeSlice(c))) {
                writeRest(c);
            }
        } catch (IOException e) {
            life.lost(c, e);
        }
    }

    /** Of a connection that keeps to a rate: whether it has to wait. Then an event is due. */
    private boolean isPaced(Connection c) {
        Pace pace = c.pace;
        if (pace == null || pace.isWaiting) {
            return pace != null;
        }
        long nowNs = server.clock.nanoTime();
        long waitNs = pace.waitNs(nowNs);
        if (waitNs <= 0) {
            return false;
        }
        try {
            pace.isWaiting = true;
            if (c.state == State.WRITING) {
                c.held().leaveRegion();
                life.pause(c, nowNs, waitNs);
            } else if (c.http2 != null) {
                c.http2.pause(nowNs, waitNs);
            }
            stages.scheduleWrite(c, pace, waitNs);
        } catch (RejectedExecutionException e) {
            life.end(c); // the runtime is closing
        }
        return true;
    }

    private void written(Connection c, long bytes) {
        if (!(c.link instanceof StreamLink)) { // whose connection counts what it writes
            server.own().counters.written(bytes);
        }
        c.takenBytes += bytes;
        if (c.pace != null) {
            c.pace.sent(bytes, server.clock.nanoTime());
        }
    }

    private void writeRest(Connection c) {
        if (c.parts != null) {
            c.held().clearOut();
            writeProgress(c);
            stages.sendWriteResponse(c); // behind what else this core has to do
            return;
        }
        life.unpin(c);
        writeEnd(c, c.held());
    }

    /** True when head and body are with the kernel. */
    private boolean writeMemory(Connection c, Exchange exchange) throws IOException {
        ByteBuffer out = exchange.out();
        ByteBuffer body = c.bodyRest;
        int end = out.position();
        long n;
        out.limit(end).position(exchange.written);
        try {
            if (body == null) {
                n = out.hasRemaining() ? writeHead(c, out) : 0;
            } else {
                n = out.hasRemaining() ? c.link.write(out, body) : c.link.write(body);
            }
        } finally {
            exchange.written = out.position();
            out.limit(out.capacity()).position(end);
        }
        written(c, n);
        if (exchange.written < end || (body != null && body.hasRemaining())) {
            writeLater(c);
            return false;
        }
        return true;
    }

    /** With the file behind it a head fills a packet, in place of one of its own. */
    private static int writeHead(Connection c, ByteBuffer out) throws IOException {
        return c.hasFile() ? c.link.writeBeforeMore(out) : c.link.write(out);
    }

    /** True when the file is with the kernel. */
    private boolean writeSlice(Connection c) throws IOException {
        FileEntry entry = Objects.requireNonNull(c.pinned);
        OpenFile file = Objects.requireNonNull(entry.file());
        int slice = c.pace == null ? sliceBytes : Math.min(sliceBytes, c.pace.bytesAtOnce());
        long wanted = Math.min(slice, c.fileEnd - c.filePosition);
        long n = c.link.sendFile(file, c.filePosition, wanted);
        if (n < 0) {
            throw truncated();
        }
        c.filePosition += n;
        written(c, n);
        if (!c.hasFile()) {
            return true;
        }
        if (n < wanted) {
            writeLater(c);
        } else {
            writeProgress(c);
            stages.sendWriteFile(c); // behind what else this core has to do
        }
        return false;
    }

    /** If a file fails, the answers before this one go out all the same. */
    private void fillOrFlush(Connection c, MultipartRanges parts) throws IOException {
        ByteBuffer out = c.held().out();
        int before = out.position();
        try {
            fillWithParts(c, parts);
        } catch (IOException e) {
            out.position(before);
            writeMemory(c, c.held());
            throw e;
        }
    }

    /**
     * Appends what comes next of several ranges, as much as there is room for: small parts are copied, so that they go out together, up to one that is
     * sent from the file, and no more than may wait for a disk in one event. What room there is when nothing waits is enough for any of them.
     */
    private static void fillWithParts(Connection c, MultipartRanges parts) throws IOException {
        ByteBuffer out = c.held().out();
        OpenFile file = Objects.requireNonNull(Objects.requireNonNull(c.pinned).file());
        int most = c.nextPart + COPIED_PARTS_MAX;
        for (; c.nextPart < parts.parts(); c.nextPart++) {
            ByteRange range = parts.range(c.nextPart);
            boolean isCopied = range.end() - range.first() <= COPIED_PART_BYTES_MAX;
            int needed = parts.headBytes(c.nextPart) + (isCopied ? (int) (range.end() - range.first()) : 0);
            if (out.remaining() < needed || c.nextPart == most) {
                return;
            }
            parts.appendHead(c.nextPart, out);
            if (!isCopied) {
                c.filePosition = range.first();
                c.fileEnd = range.end();
                c.nextPart++;
                return;
            }
            read(file, range, out);
        }
        if (out.remaining() >= parts.endBytes()) {
            parts.appendEnd(out);
            c.parts = null;
        }
    }

    private static void read(OpenFile file, ByteRange range, ByteBuffer out) throws IOException {
        int limit = out.limit();
        out.limit(out.position() + (int) (range.end() - range.first()));
        try {
            for (long at = range.first(); at < range.end(); ) {
                int n = file.read(out, at);
                if (n < 0) {
                    throw truncated();
                }
                at += n;
            }
        } finally {
            out.limit(limit);
        }
    }

    /** What was announced can't come any more. */
    private static EOFException truncated() {
        return new EOFException("a file was truncated while it was sent");
    }

    private void writeLater(Connection c) throws IOException {
        writeProgress(c);
        c.held().leaveRegion();
        c.link.awaitWritable();
    }

    /** A response that takes several events: what is done next is not dated by its request. */
    private void writeProgress(Connection c) {
        long nowNs = server.clock.nanoTime();
        c.held().nowNs = nowNs;
        life.progress(c, nowNs);
    }

    private void writeEnd(Connection c, Exchange exchange) {
        exchange.clearOut();
        c.busyNs = exchange.nowNs;
        switch (c.next) {
            case REQUEST -> {
                if (exchange.hasInput()) {
                    c.state = State.PROCESSING;
                    stages.sendParseRequest(c);
                } else {
                    writeEndIdle(c, exchange);
                }
            }
            case BODY -> {
                c.state = State.PROCESSING;
                life.awaitBody(c, exchange.nowNs); // in place of the write's time
                stages.sendParseRequest(c);
            }
            case RESPONSE -> {
                c.state = State.PROCESSING;
                if (c.answer == null) {
                    stages.sendComplete(c);
                } else {
                    stages.sendAnswer(c);
                }
            }
            case CLOSE -> life.finish(c);
        }
    }

    private void writeEndIdle(Connection c, Exchange exchange) {
        long nowNs = exchange.nowNs; // as old as the request; the idle time may be shorter by the time it took
        life.giveBackExchange(c);
        c.state = State.READING;
        life.deadline(c, nowNs, life.idleTimeoutNs);
        if (c.isReadable || server.isDraining) {
            stages.sendReadRequest(c);
        }
    }
}
