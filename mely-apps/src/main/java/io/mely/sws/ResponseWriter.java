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

/**
 * The stages WriteResponse and WriteFile: the connection's output in one write(2), or with a body from the cache in one writev(2); then the
 * file, in slices between which others have their turn. What the kernel does not take waits for the loop's report.
 *
 * <p><b>Threads.</b> The color of the connection that is passed. <b>Costs.</b> One system call for a small response.
 */
final class ResponseWriter {
    private final ServerContext server;
    private final SwsStages stages;
    private final ConnectionLife life;
    private final long idleTimeoutNs;
    private final int sliceBytes;

    ResponseWriter(ServerContext server, SwsStages stages, ConnectionLife life) {
        this.server = server;
        this.stages = stages;
        this.life = life;
        idleTimeoutNs = server.config.idleTimeout().toNanos();
        sliceBytes = server.config.sliceBytes();
    }

    /** The stage WriteResponse. */
    void write(Connection c) {
        if (c.state != State.WRITING) {
            return; // reported once more than asked, or closed meanwhile
        }
        try {
            if (!writeMemory(c, c.held())) {
                return;
            }
            if (c.hasFile()) {
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
        if (c.state != State.WRITING) {
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

    private void writeRest(Connection c) {
        if (c.parts != null) {
            writePart(c, c.parts);
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
                n = out.hasRemaining() ? c.socket.write(new ByteBuffer[] {out, body}, 0, 2) : c.socket.write(body);
            }
        } finally {
            exchange.written = out.position();
            out.limit(out.capacity()).position(end);
        }
        server.core(c).counters.written(n);
        c.takenBytes += n;
        if (exchange.written < end || (body != null && body.hasRemaining())) {
            writeLater(c);
            return false;
        }
        return true;
    }

    /** With the file behind it a head fills a packet, in place of one of its own. */
    private static int writeHead(Connection c, ByteBuffer out) throws IOException {
        return c.hasFile() ? c.socket.writeBeforeMore(out) : c.socket.write(out);
    }

    /** True when the file is with the kernel. */
    private boolean writeSlice(Connection c) throws IOException {
        FileEntry entry = Objects.requireNonNull(c.pinned);
        OpenFile file = Objects.requireNonNull(entry.file());
        long wanted = Math.min(sliceBytes, c.fileEnd - c.filePosition);
        long n = c.socket.sendFile(file, c.filePosition, wanted);
        if (n < 0) {
            throw new EOFException("a file was truncated while it was sent"); // what was announced can't come any more
        }
        c.filePosition += n;
        c.takenBytes += n;
        server.core(c).counters.written(n);
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

    /** The next part of several ranges, or what stands behind the last one. */
    private void writePart(Connection c, MultipartRanges parts) {
        Exchange exchange = c.held();
        exchange.clearOut();
        if (c.nextPart < parts.parts()) {
            ByteRange range = parts.range(c.nextPart);
            parts.appendHead(c.nextPart, exchange.out());
            c.filePosition = range.first();
            c.fileEnd = range.end();
            c.nextPart++;
        } else {
            parts.appendEnd(exchange.out());
            c.parts = null;
        }
        writeProgress(c);
        stages.sendWriteResponse(c); // behind what else this core has to do
    }

    private void writeLater(Connection c) throws IOException {
        writeProgress(c);
        c.socket.awaitWritable();
    }

    /** A response that takes several events: what is done next is not dated by its request. */
    private void writeProgress(Connection c) {
        long nowNs = server.clock.nanoTime();
        c.held().nowNs = nowNs;
        life.progress(c, nowNs);
    }

    private void writeEnd(Connection c, Exchange exchange) {
        exchange.clearOut();
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
                stages.sendParseRequest(c);
            }
            case RESPONSE -> {
                c.state = State.PROCESSING;
                stages.sendCheckInCache(c);
            }
            case CLOSE -> life.finish(c);
        }
    }

    private void writeEndIdle(Connection c, Exchange exchange) {
        long nowNs = exchange.nowNs; // as old as the request; the idle time may be shorter by the time it took
        life.giveBackExchange(c);
        c.state = State.READING;
        life.deadline(c, nowNs, idleTimeoutNs);
        if (c.isReadable || server.isDraining) {
            stages.sendReadRequest(c);
        }
    }
}
