// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.files;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Property: whatever is accepted is canonical, and names nothing outside the root. */
class RequestPathTest {
    private final RequestPath path = new RequestPath(64);

    @ParameterizedTest
    @CsvSource({
        "/, /",
        "'', /",
        "/a, /a",
        "/a/, /a/",
        "//a, /a",
        "/a//b, /a/b",
        "///, /",
        "//evil.example/x, /evil.example/x",
        "/a/b///c//, /a/b/c/",
        "/., /",
        "/./, /",
        "/./a, /a",
        "/a/., /a/",
        "/a/./b, /a/b",
        "/%2e/a, /a",
        "/...,  /...",
        "/a/../b, /b",
        "/a/.., /",
        "/a/b/.., /a/",
        "/a/b/../, /a/",
        "/a/b/../x.txt, /a/x.txt",
        "/a/./../b//../c, /c",
        "/a%2f%2e%2e, /",
        "/a/b%2f..%2fc, /a/c",
        "/é, /é",
        "/..a, /..a",
        "/a.., /a..",
        "/%61, /a",
        "/%2Fa, /a",
        "/a%2fb, /a/b",
        "/a%20b, /a b",
        "/%25, /%",
        "/%252e%252e/, /%2e%2e/",
        "/a+b, /a+b",
        "/%c3%a9, /é",
        "/%E2%82%AC, /€",
        "/%F0%9F%98%80, /😀",
        "/a;b=c, /a;b=c",
        "/~x, /~x",
    })
    void set_bringsIntoCanonicalForm(String raw, String canonical) {
        assertThat(set(raw)).isTrue();
        assertThat(path.toString()).isEqualTo(canonical);
        assertThat(path.isFolder()).isEqualTo(canonical.endsWith("/"));
        // The canonical form is its own canonical form, apart from percent signs, which now stand for themselves.
        if (!canonical.contains("%")) {
            assertThat(set(canonical)).isTrue();
            assertThat(path.toString()).isEqualTo(canonical);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/..",
                "/../",
                "/../etc/passwd",
                "/a/b/../../../etc/passwd",
                "/a/../..",
                "/a/%2e%2e/../b",
                "//../etc/passwd",
                "/./../etc/passwd",
                "/..//etc/passwd",
                "/%2e%2e/etc/passwd",
                "/%2E%2E/etc/passwd",
                "/.%2e/etc/passwd",
                "/%2e./etc/passwd",
                "/..%2fetc/passwd",
                "/%2e%2e%2fetc/passwd",
                "/%2e%2e%2Fetc%2Fpasswd",
                "/a%2f..%2f..%2fetc",
                "/..\\etc",
                "/\\",
                "/a\\b",
                "/..%5cetc",
                "/%5c..%5c",
                "/a%5Cb",
                "/%00",
                "/index.html%00.png",
                "/a%0ab",
                "/a%0d%0aSet-Cookie:x",
                "/a%09b",
                "/a%1fb",
                "/a%7fb",
                "/%",
                "/%2",
                "/%zz",
                "/%2g",
                "/%g2",
                "/% 2",
                "/%-1",
                "/a%",
                "/a%4",
                "/%c0%ae%c0%ae/etc", // overlong dots
                "/%c0%af", // overlong slash
                "/%e0%80%ae",
                "/%e0%80%af",
                "/%f0%80%80%ae",
                "/%c1%9c", // overlong backslash
                "/%c0%80", // overlong NUL
                "/%fc%80%80%80%80%ae",
                "/%80",
                "/%bf",
                "/%ff",
                "/%fe",
                "/%c3",
                "/%c3%28",
                "/%e2%82",
                "/%e2%28%a1",
                "/%ed%a0%80", // a surrogate
                "/%f4%90%80%80", // past U+10FFFF
                "/%f5%80%80%80",
                "/%u002e%u002e/",
                "a",
                "%2fa%zz",
            })
    void set_refuses(String raw) {
        assertThat(set(raw)).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "/a/b, false",
        "/.a, true",
        "/%2egit/config, true",
        "/a/.b/c, true",
        "/.well-known/x, false",
        "/.well-known/, false",
        "/.well-known, true",
        "/.well-known2/x, true",
        "/.a/../b, false",
        "/a/../.b, true",
        "/.well-known/../a, false",
        "/x/../.well-known/a, false",
        "/.well-known/.a, true",
        "/.well-known/.x, true",
        "/a/.well-known/x, true",
        "//.well-known/x, false",
        "/./.well-known/x, false",
        "/a./b., false",
    })
    void isHidden_leadingDot(String raw, boolean expected) {
        assertThat(set(raw)).isTrue();
        assertThat(path.isHidden()).isEqualTo(expected);
    }

    @Test
    void set_longerThanExpected_grows() {
        String raw = "/" + "a".repeat(5000);
        assertThat(set(raw)).isTrue();
        assertThat(path.length()).isEqualTo(5001);
    }

    @Test
    void set_randomInput_acceptsOnlyCanonicalPaths() {
        long seed = Long.getLong("mely.test.seed", System.nanoTime());
        Random random = new Random(seed);
        String[] pieces = {
            "/", "..", ".", "%2e", "%2f", "%2F", "a", "%5c", "%c3%a9", "%c0", "%", "%252e", "//", "b", "~"
        };
        for (int round = 0; round < 100_000; round++) {
            StringBuilder raw = new StringBuilder("/");
            for (int i = random.nextInt(8); i > 0; i--) {
                raw.append(pieces[random.nextInt(pieces.length)]);
            }
            if (!set(raw.toString())) {
                continue;
            }
            String canonical = path.toString();
            assertThat(canonical)
                    .as("seed %s, raw %s", seed, raw)
                    .startsWith("/")
                    .doesNotContain("//", "\\", "\0");
            for (String segment : canonical.split("/")) {
                assertThat(segment).as("seed %s, raw %s", seed, raw).isNotIn(".", "..");
            }
        }
    }

    private boolean set(String raw) {
        byte[] bytes = ("##" + raw).getBytes(StandardCharsets.UTF_8);
        return path.set(bytes, 2, bytes.length);
    }
}
