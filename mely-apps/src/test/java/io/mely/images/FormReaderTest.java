// SPDX-License-Identifier: Apache-2.0
package io.mely.images;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

// Files come out of forms as they were put in; malformed forms are refused, and what is too large is, too.
class FormReaderTest {
    private static final int FILE_MAX = 300_000;
    private static final String TYPE = "multipart/form-data; boundary=b";

    private final FormReader reader = new FormReader(FILE_MAX, 4);

    private List<Source> parse(String type, String body) throws FormException, IOException {
        byte[] bytes = body.replace("~", "\r\n").getBytes(StandardCharsets.ISO_8859_1);
        return List.copyOf(reader.parts(type, new ByteArrayInputStream(bytes)));
    }

    private int refusal(String type, String body) {
        FormException refusal = catchThrowableOfType(FormException.class, () -> parse(type, body));
        assertThat(refusal).isNotNull();
        return refusal.status();
    }

    private static String part(String disposition, String content) {
        return "--b~Content-Disposition: form-data; name=\"f\"" + disposition
                + "~Content-Type: application/octet-stream~~" + content + "~";
    }

    private static String text(Source source) {
        return new String(source.content(), StandardCharsets.ISO_8859_1);
    }

    @Test
    void parts_areFilesInOrder_andFieldsAreLeftOut() throws Exception {
        List<Source> files = parse(
                TYPE,
                part("; filename=\"a.png\"", "first") + "--b~Content-Disposition: form-data; name=\"text\"~~a field~"
                        + part("; filename=\"b.png\"", "~--x--b~second~") + "--b--~");
        assertThat(files).extracting(Source::name).containsExactly("a.png", "b.png");
        assertThat(text(files.get(0))).isEqualTo("first");
        assertThat(text(files.get(1))).isEqualTo("\r\n--x--b\r\nsecond\r\n");
    }

    // Any bytes, at all positions beside the pieces in which the body is read.
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 65_400, 65_450, 65_536, 131_072, 299_999})
    void content_isKeptToTheByte(int length) throws Exception {
        byte[] content = new byte[length];
        new Random(length).nextBytes(content);
        String sent = new String(content, StandardCharsets.ISO_8859_1).replace('~', '-');
        List<Source> files = parse(TYPE, part("; filename=\"x\"", sent) + part("; filename=\"y\"", "z") + "--b--~");
        assertThat(files).hasSize(2);
        assertThat(text(files.get(0))).isEqualTo(sent);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "multipart/form-data; boundary=b",
                "Multipart/Form-Data;BOUNDARY=b",
                "multipart/form-data; boundary=\"b\"",
                "multipart/form-data; charset=utf-8; boundary=b"
            })
    void boundaries_areReadInAllForms(String type) throws Exception {
        assertThat(FormReader.isTaken(type)).isTrue();
        assertThat(parse(type, part("; filename=\"x\"", "y") + "--b--")).hasSize(1);
    }

    @Test
    void boundaries_mayHaveOddLetters() throws Exception {
        String boundary = "=_.:'()+?,-a b";
        String body = "--" + boundary + "~Content-Disposition: form-data; name=\"f\"; filename=\"x\"~~y~--" + boundary
                + "--~";
        assertThat(parse("multipart/form-data; boundary=\"" + boundary + "\"", body))
                .hasSize(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "; filename=\"a b.png\"|a b.png",
                "; filename=plain.png|plain.png",
                "; filename*=UTF-8''na%C3%AFve%20x.png|na\u00efve x.png"
            })
    void names_areReadInAllForms(String disposition, String name) throws Exception {
        assertThat(parse(TYPE, part(disposition, "y") + "--b--~").get(0).name()).isEqualTo(name);
    }

    @Test
    void preambleAndEpilogue_areLeftOut() throws Exception {
        assertThat(parse(TYPE, "~" + part("; filename=\"x\"", "y") + "--b--~an epilogue"))
                .hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "--b--~",
                "--b~",
                "no form at all",
                "--b~Content-Disposition: form-data; name=\"f\"; filename=\"x\"~~cut",
                "--b~Content-Disposition: form-data; name=\"f\"; filename=\"x\"~~cut~--b",
                "--b~Content-Disposition: form-data; name=\"f\"; filename=\"x\"",
                "--b~Content-Disposition: form-data; name=\"f\"~~a field and no file~--b--~",
                "--b~Content-Disposition~~y~--b--~",
                "--b~: ; ;=~~y~--b--~"
            })
    void malformedForms_are400(String body) {
        assertThat(refusal(TYPE, body)).isEqualTo(400);
    }

    @Test
    void longHeadOfAPart_is400() {
        String head = "--b~Content-Disposition: form-data; name=\"f\"; filename=\"" + "x".repeat(40_000);
        assertThat(refusal(TYPE, head)).isEqualTo(400);
    }

    @ParameterizedTest
    @ValueSource(strings = {"multipart/form-data", "multipart/form-data; boundary=", "multipart/form-data; boundary"})
    void missingBoundary_is400(String type) {
        assertThat(refusal(type, part("; filename=\"x\"", "y") + "--b--~")).isEqualTo(400);
    }

    @Test
    void whatIsTooLarge_is413() {
        assertThat(refusal(TYPE, part("; filename=\"x\"", "y".repeat(FILE_MAX + 1)) + "--b--~"))
                .isEqualTo(413);
        assertThat(refusal(TYPE, part("; filename=\"x\"", "y").repeat(5) + "--b--~"))
                .isEqualTo(413);
    }

    @ParameterizedTest
    @CsvSource({
        "image/png, true",
        "IMAGE/JPEG;q=1, true",
        "image/webp, true",
        "image/gif, false",
        "text/plain, false",
        "'', false"
    })
    void isTaken_byType(String type, boolean isTaken) {
        assertThat(FormReader.isTaken(type)).isEqualTo(isTaken);
    }
}
