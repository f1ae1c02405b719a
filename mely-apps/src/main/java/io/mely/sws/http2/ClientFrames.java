// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http2;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.util.collection.IntObjectHashMap;

/** What the frames of the client do to a session, and which must not be (RFC 9113 5.1 and 6, RFC 9218 7.1). */
final class ClientFrames implements FrameReader.Sink {
    private static final long NOT_SET = -1;

    private final Session session;
    private final Answers answers;
    private final Streams streams;
    private final Output output;
    private final HeadDecoder decoder;
    private final IntObjectHashMap<Priority> early = new IntObjectHashMap<>(); // of streams to come

    /** What a frame of settings has said so far; a change for each stream when it ends. */
    private long initialWindow = NOT_SET;

    ClientFrames(Session session, Streams streams, Answers answers, Output output, HeadDecoder decoder) {
        this.session = session;
        this.answers = answers;
        this.streams = streams;
        this.output = output;
        this.decoder = decoder;
    }

    @Override
    public void data(int id, ByteBuf data, int flowBytes, boolean isEnd) throws ConnectionException {
        int credit = answers.windows().received(flowBytes);
        if (credit > 0) {
            output.windowUpdate(0, credit);
        }
        if (!data.isReadable() && !isEnd) {
            session.idle();
        }
        Stream stream = streams.get(id);
        boolean isLate = (stream == null || stream.isShut) && streams.takeLate(id, Math.max(1, flowBytes));
        if (isLate) {
            return; // the client has not heard yet
        }
        if (stream == null) {
            session.ofNoStream(id);
        } else if (stream.isShut) {
            session.idle();
        } else if (stream.isRemoteEnded) {
            session.failStream(id, Http2Error.STREAM_CLOSED);
        } else {
            data(stream, data, flowBytes, isEnd);
        }
    }

    private void data(Stream stream, ByteBuf data, int flowBytes, boolean isEnd) throws ConnectionException {
        int bytes = data.readableBytes();
        stream.receivedBytes += flowBytes;
        if (stream.receivedBytes > Frames.WINDOW_BYTES) {
            session.failStream(stream.id, Http2Error.FLOW_CONTROL_ERROR);
            return;
        }
        if (!stream.isAsAnnounced(bytes, isEnd)) {
            session.failStream(stream.id, Http2Error.PROTOCOL_ERROR);
            return;
        }
        if (!session.receive(stream, data, flowBytes, isEnd)) {
            session.failStream(stream.id, Http2Error.ENHANCE_YOUR_CALM);
        }
    }

    @Override
    public void headers(int id, int dependsOn, ByteBuf block, boolean isEnd) throws ConnectionException {
        RequestFields fields = decoder.decode(id, block); // whatever becomes of it
        try {
            headers(id, fields, dependsOn, isEnd);
        } finally {
            fields.forget(); // an idle connection keeps none
        }
    }

    private void headers(int id, RequestFields fields, int dependsOn, boolean isEnd) throws ConnectionException {
        Stream stream = streams.get(id);
        if (stream != null) {
            trailers(stream, fields, isEnd);
        } else if (!streams.hasBegun(id) && (id & 1) == 1) {
            if (session.begin(id)) {
                open(id, fields, dependsOn, isEnd);
            } else {
                session.idle();
            }
        } else if ((id & 1) == 0 || streams.isSkipped(id)) {
            throw new ConnectionException(Http2Error.PROTOCOL_ERROR, "a stream with a number that is none");
        } else {
            session.ofNoStream(id);
        }
    }

    private void open(int id, RequestFields fields, int dependsOn, boolean isEnd) throws ConnectionException {
        Priority said = early.remove(id);
        boolean isMalformed = !fields.isTooLong() && fields.requestFault() != null;
        long announced = fields.contentLength();
        if (isMalformed || dependsOn == id || (isEnd && announced > 0)) {
            session.failStream(id, Http2Error.PROTOCOL_ERROR);
            return;
        }
        Stream stream = new Stream(id, fields, isEnd, answers.windows().initial());
        stream.priority = said == null ? fields.priority() : said;
        session.open(stream, fields);
    }

    private void trailers(Stream stream, RequestFields fields, boolean isEnd) throws ConnectionException {
        if (stream.isShut) {
            session.idle();
        } else if (stream.isRemoteEnded) {
            session.failStream(stream.id, Http2Error.STREAM_CLOSED);
        } else if (!isEnd || fields.trailersFault() != null || !stream.isAsAnnounced(0, true)) {
            session.failStream(stream.id, Http2Error.PROTOCOL_ERROR);
        } else {
            stream.isRemoteEnded = true;
            stream.tellReadable();
        }
    }

    @Override
    public void priority(int id, int dependsOn) throws ConnectionException {
        session.idle();
        if (dependsOn == id) {
            session.failStream(id, Http2Error.PROTOCOL_ERROR);
        }
    }

    @Override
    public void malformed(int id) throws ConnectionException {
        session.failStream(id, Http2Error.FRAME_SIZE_ERROR);
    }

    @Override
    public void reset(int id) throws ConnectionException {
        if (!answers.takeReset()) {
            session.idle();
        }
        if (!streams.hasBegun(id)) {
            throw new ConnectionException(Http2Error.PROTOCOL_ERROR, "a stream that has not begun is reset");
        }
        session.resetByClient(id);
    }

    @Override
    public void setting(int name, long value) throws ConnectionException {
        switch (name) {
            case Frames.SETTING_HEADER_TABLE_SIZE -> answers.encoder().tableBytes(value);
            case Frames.SETTING_ENABLE_PUSH -> {
                if (value > 1) {
                    throw new ConnectionException(Http2Error.PROTOCOL_ERROR, "ENABLE_PUSH is not 0 or 1");
                }
            }
            case Frames.SETTING_INITIAL_WINDOW_SIZE -> {
                if (value > Frames.WINDOW_BYTES_MAX) {
                    throw new ConnectionException(Http2Error.FLOW_CONTROL_ERROR, "INITIAL_WINDOW_SIZE is too large");
                }
                initialWindow = value;
            }
            case Frames.SETTING_MAX_FRAME_SIZE -> {
                if (value < Frames.PAYLOAD_BYTES_MAX || value >= 1 << 24) {
                    throw new ConnectionException(Http2Error.PROTOCOL_ERROR, "MAX_FRAME_SIZE is out of range");
                }
            }
            default -> {} // not for this side, or unknown
        }
    }

    @Override
    public void settingsEnd(boolean isAck) throws ConnectionException {
        session.idle();
        if (isAck) {
            session.acknowledged();
        } else {
            if (initialWindow != NOT_SET) {
                answers.initialWindow(initialWindow, streams.all());
                initialWindow = NOT_SET;
            }
            output.settingsAck();
            answers.grant();
        }
    }

    @Override
    public void ping(long data, boolean isAck) throws ConnectionException {
        session.idle();
        session.ping(data, isAck);
    }

    @Override
    public void windowUpdate(int id, int bytes) throws ConnectionException {
        if (!answers.takeChange()) {
            session.idle();
        }
        if (id == 0) {
            if (bytes == 0) {
                throw new ConnectionException(Http2Error.PROTOCOL_ERROR, "a window grows by nothing");
            }
            answers.windows().grow(bytes);
            answers.grant();
            return;
        }
        Stream stream = streams.get(id);
        if (stream == null && !streams.hasBegun(id)) {
            session.ofNoStream(id);
        } else if (bytes == 0) {
            session.failStream(id, Http2Error.PROTOCOL_ERROR);
        } else if (stream != null) {
            stream.window += bytes;
            if (stream.window > Frames.WINDOW_BYTES_MAX) {
                session.failStream(id, Http2Error.FLOW_CONTROL_ERROR);
            } else {
                answers.opened(stream);
                answers.grant();
            }
        }
    }

    @Override
    public void priorityUpdate(int id, String value) throws ConnectionException {
        session.idle();
        Stream stream = streams.get(id);
        if (stream != null) {
            answers.turns().change(stream, Priority.parse(value));
        } else if (!streams.hasBegun(id) && (id & 1) == 1) {
            if (early.size() >= streams.most()) {
                boolean unused = early.keySet().removeIf(streams::hasBegun); // which were skipped
            }
            if (early.size() >= streams.most() && !early.containsKey(id)) {
                throw new ConnectionException(Http2Error.PROTOCOL_ERROR, "priorities of too many streams");
            }
            early.put(id, Priority.parse(value));
        }
    }

    @Override
    public void idle() throws ConnectionException {
        session.idle();
    }
}
