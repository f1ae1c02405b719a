// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http;

import java.util.List;
import java.util.function.UnaryOperator;

/**
 * Writes the heads of the 206 and 416 of one state of a file.
 *
 * <p><b>Threads.</b> Any; immutable. <b>Costs.</b> Allocates a head for each range asked for.
 *
 * @param fields what stands in every response
 * @param contentType of the whole file
 * @param validators adds Last-Modified, ETag and configured fields, as in the 200
 * @param isNosniff whether browsers are told to take the type for what it is
 * @param size of the whole file, in bytes
 */
public record PartialHeads(
        ServerFields fields, String contentType, UnaryOperator<ResponseHead> validators, boolean isNosniff, long size) {
    private static final byte[] EMPTY = {};

    /**
     * The answer if the file has nothing of what was asked for.
     *
     * @return a complete 416
     */
    public PreparedResponse unsatisfiable() {
        ResponseHead head = new ResponseHead(Status.RANGE_NOT_SATISFIABLE, fields)
                .field("Content-Range", "bytes */" + size)
                .length(0);
        return PreparedResponse.onHeap(Status.RANGE_NOT_SATISFIABLE, head, EMPTY);
    }

    /**
     * The head for one range.
     *
     * @param range of this file
     * @return a 206 whose body is to follow
     */
    public PreparedResponse single(ByteRange range) {
        ResponseHead head = new ResponseHead(Status.PARTIAL_CONTENT, fields)
                .field("Content-Type", contentType)
                .length(range.end() - range.first())
                .field("Content-Range", contentRange(range, size));
        return partial(head);
    }

    /**
     * The frame of several ranges.
     *
     * @param ranges of this file
     * @return heads and end of the parts
     */
    public MultipartRanges frame(List<ByteRange> ranges) {
        return new MultipartRanges(ranges, contentType, size);
    }

    /**
     * The head for several ranges.
     *
     * @param frame what {@link #frame} returned
     * @return a 206 whose body is to follow
     */
    public PreparedResponse multipart(MultipartRanges frame) {
        ResponseHead head = new ResponseHead(Status.PARTIAL_CONTENT, fields)
                .field("Content-Type", frame.contentType())
                .length(frame.bytes());
        return partial(head);
    }

    private PreparedResponse partial(ResponseHead head) {
        ResponseHead whole = validators.apply(head);
        if (isNosniff) {
            whole.field("X-Content-Type-Options", "nosniff");
        }
        return PreparedResponse.onHeap(Status.PARTIAL_CONTENT, whole, EMPTY);
    }

    static String contentRange(ByteRange range, long size) {
        return "bytes " + range.first() + '-' + (range.end() - 1) + '/' + size;
    }
}
