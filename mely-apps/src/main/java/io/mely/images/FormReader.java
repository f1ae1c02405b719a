// SPDX-License-Identifier: Apache-2.0
package io.mely.images;

import io.mely.images.picture.PictureFormat;
import io.mely.sws.Request;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http.multipart.DefaultHttpDataFactory;
import io.netty.handler.codec.http.multipart.FileUpload;
import io.netty.handler.codec.http.multipart.HttpPostMultipartRequestDecoder;
import io.netty.handler.codec.http.multipart.HttpPostRequestDecoder.EndOfDataDecoderException;
import io.netty.handler.codec.http.multipart.HttpPostRequestDecoder.ErrorDataDecoderException;
import io.netty.handler.codec.http.multipart.HttpPostRequestDecoder.TooLongFormFieldException;
import io.netty.handler.codec.http.multipart.HttpPostRequestDecoder.TooManyFormFieldsException;
import io.netty.handler.codec.http.multipart.InterfaceHttpData;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;

/**
 * Takes the files out of a request's body: the body itself is one, or it is a form with some.
 *
 * <p>All buffers are of the heap: native memory is the server's, to the last byte.
 *
 * <p><b>Threads.</b> One at a time. <b>Bounds.</b> The body, and copies of its files.
 */
final class FormReader {
    /** The body is given to the decoder in such pieces: as they are let go, no second body piles up. */
    private static final int PIECE_BYTES = 64 << 10;

    /** Heads of a part and what stands before the first. */
    private static final int UNDECODED_BYTES_MAX = 16 << 10;

    private static final UnpooledByteBufAllocator HEAP = new UnpooledByteBufAllocator(false);
    private static final String MULTIPART = "multipart/form-data";

    private final long fileBytesMax;
    private final int filesMax;

    FormReader(long fileBytesMax, int filesMax) {
        this.fileBytesMax = fileBytesMax;
        this.filesMax = filesMax;
    }

    /** Whether a body of this type has files, or is one. */
    static boolean isTaken(String contentType) {
        return isMultipart(contentType) || PictureFormat.ofMediaType(contentType) != null;
    }

    private static boolean isMultipart(String contentType) {
        return contentType.split(";", 2)[0].strip().toLowerCase(Locale.ROOT).equals(MULTIPART);
    }

    /** At least one file, in the order of the body. */
    Deque<Source> files(Request request) throws FormException, IOException {
        if (isMultipart(request.contentType())) {
            return parts(request.contentType(), request.body());
        }
        if (request.bodyBytes() > fileBytesMax) {
            throw tooLarge("");
        }
        byte[] content = new byte[(int) request.bodyBytes()];
        int n = request.body().readNBytes(content, 0, content.length);
        if (n == 0) {
            throw new FormException(400, "an empty body");
        }
        return new ArrayDeque<>(java.util.List.of(new Source("", content)));
    }

    private FormException tooLarge(String name) {
        return new FormException(413, (name.isEmpty() ? "a file" : name) + " has more than " + fileBytesMax + " bytes");
    }

    Deque<Source> parts(String contentType, InputStream body) throws FormException, IOException {
        DefaultHttpDataFactory parts = new DefaultHttpDataFactory(false); // in memory
        parts.setMaxLimit(fileBytesMax);
        DefaultHttpRequest head = new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.POST, "/");
        head.headers().set(HttpHeaderNames.CONTENT_TYPE, contentType);
        HttpPostMultipartRequestDecoder decoder;
        try {
            decoder = new HttpPostMultipartRequestDecoder(
                    parts, head, StandardCharsets.UTF_8, filesMax, UNDECODED_BYTES_MAX);
        } catch (RuntimeException e) {
            throw new FormException(400, "a form without a boundary");
        }
        try {
            decoder.setDiscardThreshold(PIECE_BYTES);
            return decode(decoder, body);
        } catch (TooManyFormFieldsException e) {
            throw new FormException(413, "more than " + filesMax + " files and fields");
        } catch (TooLongFormFieldException e) {
            throw new FormException(400, "the head of a part is too long");
        } catch (ErrorDataDecoderException e) {
            throw e.getCause() instanceof IOException ? tooLarge("") : malformed(e);
        } catch (IllegalArgumentException | IndexOutOfBoundsException | NullPointerException e) {
            throw malformed(e); // the decoder trusts the heads of parts
        } finally {
            decoder.destroy();
        }
    }

    private static FormException malformed(RuntimeException e) {
        return new FormException(400, "a malformed form: " + e.getMessage());
    }

    private Deque<Source> decode(HttpPostMultipartRequestDecoder decoder, InputStream body)
            throws FormException, IOException {
        Deque<Source> files = new ArrayDeque<>();
        byte[] piece = new byte[PIECE_BYTES];
        for (int n = body.readNBytes(piece, 0, PIECE_BYTES); n > 0; n = body.readNBytes(piece, 0, PIECE_BYTES)) {
            ByteBuf content = HEAP.heapBuffer(n).writeBytes(piece, 0, n);
            try {
                decoder.offer(new DefaultHttpContent(content));
            } finally {
                content.release();
            }
            takeFiles(decoder, files);
        }
        decoder.offer(LastHttpContent.EMPTY_LAST_CONTENT);
        if (!takeFiles(decoder, files)) {
            throw new FormException(400, "the form ends early");
        }
        if (files.isEmpty()) {
            throw new FormException(400, "a form without files");
        }
        return files;
    }

    /** True at the end of the form. */
    private boolean takeFiles(HttpPostMultipartRequestDecoder decoder, Deque<Source> files)
            throws FormException, IOException {
        try {
            while (decoder.hasNext()) {
                InterfaceHttpData part = decoder.next();
                if (part instanceof FileUpload file) {
                    take(file, files);
                }
                decoder.removeHttpDataFromClean(part);
                part.release();
            }
            return false;
        } catch (EndOfDataDecoderException end) {
            return true;
        }
    }

    private void take(FileUpload file, Deque<Source> files) throws FormException, IOException {
        String name = file.getFilename();
        if (file.length() > fileBytesMax) {
            throw tooLarge(name);
        }
        if (file.length() > 0 || !name.isEmpty()) { // a field for files that was left empty is sent, too
            files.add(new Source(name, file.get()));
        }
    }
}
