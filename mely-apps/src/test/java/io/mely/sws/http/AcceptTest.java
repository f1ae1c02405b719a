// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AcceptTest {
    private static RequestHead head(byte[] request, HeadFields wanted) {
        HeadParser parser = new HeadParser(new HeadLimits(200, 2_000, 20), wanted);
        assertThat(parser.parse(request, 0, request.length)).isEqualTo(HeadParser.DONE);
        return parser.head();
    }

    private static byte[] request(String fields) {
        return ("GET / HTTP/1.1\r\nHost: x\r\n" + fields + "\r\n").getBytes(StandardCharsets.US_ASCII);
    }

    // Most specific range first, weights of zero count, parameters do not hide the weight, nonsense is passed over.
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8 | true | false",
                "*/* | true | false",
                "text/* | true | false",
                "application/json | false | true",
                "application/json, */* | true | true",
                "application/json, text/html | true | false",
                "application/json, text/html;q=0.9 | true | true",
                "application/json;q=0.5, text/html;q=0.9 | true | false",
                "application/json;q=0, */* | true | false",
                "text/html;q=0, */* | false | false",
                "text/html;level=1;q=0, */* | false | false",
                "TEXT/HTML;q=0.1 | true | false",
                "image/avif,image/*;q=0.8 | false | false",
                "text/html;q=x, */*;q=0 | false | false",
                "',,;;=' | false | false",
            })
    void accept_says(String value, boolean takesHtml, boolean prefersJson) {
        byte[] request = request("Accept: " + value + "\r\n");
        RequestHead head = head(request, new HeadFields(true, false, false));
        assertThat(head.takesHtml(request, 0)).isEqualTo(takesHtml);
        assertThat(head.prefersJson(request, 0)).isEqualTo(prefersJson);
    }

    // Several lines are one list, and who says nothing takes pages.
    @Test
    void accept_inLines_orNotAtAll() {
        byte[] lines = request("Accept: text/html;q=0.5\r\nAccept: application/json\r\n");
        assertThat(head(lines, new HeadFields(true, false, false)).prefersJson(lines, 0))
                .isTrue();
        byte[] none = request("");
        assertThat(head(none, new HeadFields(true, false, false)).takesHtml(none, 0))
                .isTrue();
        byte[] notAsked = request("Accept: application/json\r\n");
        assertThat(head(notAsked, HeadFields.NONE).prefersJson(notAsked, 0)).isFalse();
    }

    // A reused parser keeps nothing of the last request.
    @Test
    void fields_areForgotten() {
        HeadParser parser = new HeadParser(new HeadLimits(200, 2_000, 20), new HeadFields(true, true, false));
        byte[] full = request("Accept: application/json\r\nReferer: r\r\nUser-Agent: agent\r\n");
        assertThat(parser.parse(full, 0, full.length)).isEqualTo(HeadParser.DONE);
        RequestHead head = parser.head();
        assertThat(new String(full, head.refererStart(), 1, StandardCharsets.US_ASCII))
                .isEqualTo("r");
        assertThat(head.userAgentEnd() - head.userAgentStart()).isEqualTo(5);
        parser.reset();
        byte[] bare = request("");
        assertThat(parser.parse(bare, 0, bare.length)).isEqualTo(HeadParser.DONE);
        assertThat(head.refererEnd()).isZero();
        assertThat(head.userAgentEnd()).isZero();
        assertThat(head.prefersJson(bare, 0)).isFalse();
    }
}
