// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.files;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.sws.http.Coding;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class GzipTest {
    // What is packed is what comes out, the same bytes each time, at every level.
    @ParameterizedTest
    @ValueSource(ints = {1, 6, 9})
    void pack_isRestored(int level) throws IOException {
        byte[] content = "a line of text, and another one\n".repeat(500).getBytes(StandardCharsets.US_ASCII);
        Gzip gzip = new Gzip(level, 1, 1 << 20);
        byte[] packed = gzip.pack(content);
        assertThat(packed).hasSizeLessThan(content.length / 10);
        assertThat(gzip.pack(content)).isEqualTo(packed);
        try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(packed))) {
            assertThat(in.readAllBytes()).isEqualTo(content);
        }
    }

    // What would hardly be shorter is left alone; an output of other bytes has another tag.
    @Test
    void pack_noise_doesNotPay() {
        byte[] noise = new byte[10_000];
        new Random(1).nextBytes(noise);
        assertThat(new Gzip(6, 1, 1 << 20).pack(noise)).isNull();
        byte[] other = noise.clone();
        other[5_000]++;
        assertThat(tag(noise)).isEqualTo(tag(noise.clone())).isNotEqualTo(tag(other));
    }

    @ParameterizedTest
    @CsvSource({"9, false", "10, true", "20, true", "21, false"})
    void fits_betweenItsBounds(long bytes, boolean isFitting) {
        assertThat(new Gzip(6, 10, 20).fits(bytes)).isEqualTo(isFitting);
        assertThat(Gzip.OFF.fits(bytes)).isFalse();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "text/html; charset=utf-8 | true",
                "text/javascript; charset=utf-8 | true",
                "application/json | true",
                "application/ld+json | true",
                "image/svg+xml | true",
                "application/wasm | true",
                "font/ttf | true",
                "font/woff2 | false",
                "image/png | false",
                "application/zip | false",
                "application/octet-stream | false",
            })
    void isCompressible_textAndTheLike(String type, boolean isCompressible) {
        assertThat(MimeTypes.isCompressible(type)).isEqualTo(isCompressible);
    }

    private static String tag(byte[] packed) {
        return EntityTags.ofContent(ByteBuffer.wrap(packed), Coding.GZIP);
    }
}
