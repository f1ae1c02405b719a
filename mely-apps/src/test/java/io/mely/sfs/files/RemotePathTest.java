// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RemotePathTest {
    // What a client says becomes one absolute path, which never leaves the root.
    @ParameterizedTest
    @CsvSource(textBlock = """
                    '', /
                    /, /
                    ., /
                    .., /
                    /../../.., /
                    a, /a
                    ./a/, /a
                    //a///b//, /a/b
                    /a/./b/../c, /a/c
                    a/b/../../../c, /c
                    /a/..b/...c, /a/..b/...c
                    /a/.../b, /a/.../b
                    ~, /~
                    'a b\\c', '/a b\\c'
                    """)
    void of_text_isAbsoluteAndInside(String text, String expected) throws FileFailure {
        assertThat(RemotePath.of(text)).hasToString(expected);
    }

    // The kernel would stop at a zero byte: "/a\0/../b" must not mean "/a".
    @Test
    void of_zeroByte_isRefused() {
        assertThatThrownBy(() -> RemotePath.of("a\0b")).isInstanceOf(FileFailure.class);
    }

    // Names are bytes: what is no UTF-8, and what only looks like a dot or a slash, stays as it is.
    @Test
    void of_bytesThatAreNoText_stay() throws FileFailure {
        byte[] odd = {'/', (byte) 0xff, (byte) 0xc0, (byte) 0xae, '/', (byte) 0xc0, (byte) 0xaf};
        assertThat(RemotePath.of(odd).bytes()).isEqualTo(odd);
        assertThat(RemotePath.of("\u2024\u2024/\u2215")).hasToString("/\u2024\u2024/\u2215");
    }

    @Test
    void parts_ofAPath_areItsFolderAndName() throws FileFailure {
        RemotePath path = RemotePath.of("/a/bc");
        assertThat(path.parent()).isEqualTo(RemotePath.of("a"));
        assertThat(path.parent().parent().isRoot()).isTrue();
        assertThat(path.name()).isEqualTo("bc\0".getBytes(StandardCharsets.UTF_8));
        assertThat(path.below()).isEqualTo("a/bc\0".getBytes(StandardCharsets.UTF_8));
        assertThat(path.child("d".getBytes(StandardCharsets.UTF_8))).isEqualTo(RemotePath.of("/a/bc/d"));
        assertThat(RemotePath.ROOT.below()).isEqualTo(".\0".getBytes(StandardCharsets.UTF_8));
    }

    // Whatever the bytes: the result has no empty name, no dots, and reads as itself.
    @Test
    void of_anything_isCanonical() throws FileFailure {
        Random random = new Random(20261129);
        byte[] letters = {'/', '/', '.', '.', 'a', (byte) 0xe9};
        for (int i = 0; i < 20_000; i++) {
            byte[] text = new byte[random.nextInt(12)];
            for (int j = 0; j < text.length; j++) {
                text[j] = letters[random.nextInt(letters.length)];
            }
            RemotePath path = RemotePath.of(text);
            String shown = new String(path.bytes(), StandardCharsets.ISO_8859_1);
            assertThat(shown).startsWith("/").doesNotContain("//");
            for (String name : shown.substring(1).split("/", -1)) {
                assertThat(name).isNotIn(".", "..");
            }
            assertThat(RemotePath.of(path.bytes())).isEqualTo(path);
        }
    }
}
