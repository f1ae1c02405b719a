// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** Property: what is sent is the prepared text with the date filled in, wherever it lands in the output. */
class PreparedResponseTest {
    private static final byte[] DATE = "Sun, 06 Nov 1994 08:49:37 GMT".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] BODY = "hello".getBytes(StandardCharsets.US_ASCII);

    private static PreparedResponse response() {
        return PreparedResponse.onHeap(200, new ResponseHead(200, ServerFields.of("SWS")).length(5), BODY);
    }

    @Test
    void appendAll_fillsTheDate_atAnyPosition() {
        ByteBuffer out = ByteBuffer.allocateDirect(1000);
        response().appendAll(out, DATE, PreparedResponse.Option.NONE);
        response().appendAll(out, DATE, PreparedResponse.Option.CLOSE);
        response().appendHead(out, DATE, PreparedResponse.Option.KEEP_ALIVE);
        String common = "HTTP/1.1 200 OK\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n";
        String rest = "Server: SWS\r\nContent-Length: 5\r\n\r\n";
        assertThat(text(out))
                .isEqualTo(common + rest + "hello"
                        + common + "Connection: close\r\n" + rest + "hello"
                        + common + "Connection: keep-alive\r\n" + rest);
    }

    @Test
    void body_isAViewOfItsOwn() {
        PreparedResponse response = response();
        ByteBuffer body = response.body();
        body.get();
        assertThat(body.remaining()).isEqualTo(4);
        assertThat(response.body().remaining()).isEqualTo(5).isEqualTo(response.bodyBytes());
    }

    @Test
    void field_thatWouldSplitTheResponse_isRefused() {
        assertThatThrownBy(() -> new ResponseHead(301, ServerFields.of("")).field("Location", "/a\r\nSet-Cookie: x"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("Location");
    }

    @Test
    void errorResponses_areCompletePages() {
        ErrorResponses errors = new ErrorResponses(ServerFields.of(""));
        for (int status : new int[] {400, 403, 404, 405, 408, 412, 413, 414, 417, 431, 500, 501, 503, 505}) {
            ByteBuffer out = ByteBuffer.allocate(1000);
            PreparedResponse response = errors.of(status);
            response.appendAll(out, DATE, PreparedResponse.Option.CLOSE);
            assertThat(text(out))
                    .startsWith("HTTP/1.1 " + status + " ")
                    .contains("Content-Length: " + response.bodyBytes() + "\r\n")
                    .doesNotContain("Server:")
                    .endsWith("</html>\n");
            assertThat(response.status()).isEqualTo(status);
        }
        ByteBuffer out = ByteBuffer.allocate(1000);
        errors.of(405).appendAll(out, DATE, PreparedResponse.Option.NONE);
        assertThat(text(out)).contains("\r\nAllow: GET, HEAD, OPTIONS\r\n");
        assertThatThrownBy(() -> errors.of(200)).hasMessageContaining("status=200");
    }

    private static String text(ByteBuffer out) {
        byte[] bytes = new byte[out.position()];
        out.get(0, bytes);
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }
}
