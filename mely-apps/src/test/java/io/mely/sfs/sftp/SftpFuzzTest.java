// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.sftp;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.mely.sfs.files.FileFailure;
import io.mely.sfs.files.RemotePath;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What comes from clients of SFS, by Jazzer. {@code mvn verify} runs the inputs below and those that were found once; a campaign, an hour for each method:
 * {@code mvn -Pfuzz -pl mely-apps -am test -Dtest=SftpFuzzTest#packets -Dsurefire.failIfNoSpecifiedTests=false -Djacoco.skip}.
 */
class SftpFuzzTest {
    static Stream<byte[]> packetSeeds() {
        return SftpCorpus.streams().stream();
    }

    static Stream<byte[]> pathSeeds() {
        return Stream.of(
                        "",
                        "/",
                        ".",
                        "..",
                        "../../etc/passwd",
                        "/a/./b//c/",
                        "a/../..//b",
                        "/a\0b",
                        "/\u00e9/e\u0301/\ud83d\ude00",
                        "...",
                        "/.../..a/.b",
                        "~/x",
                        "a/" + "b".repeat(300))
                .map(text -> text.getBytes(StandardCharsets.UTF_8));
    }

    /** Property: those of {@link Conversation}. */
    @MethodSource("packetSeeds")
    @FuzzTest(maxDuration = "60m")
    void packets(byte[] stream) throws IOException {
        Path temp = Files.createTempDirectory("sfs-fuzz");
        List<String> whole = Conversation.have(Files.createDirectory(temp.resolve("1")), stream, null);
        SplittableRandom splits = new SplittableRandom(Arrays.hashCode(stream));
        assertThat(Conversation.have(Files.createDirectory(temp.resolve("2")), stream, splits))
                .isEqualTo(whole);
        Files.delete(temp.resolve("1"));
        Files.delete(temp.resolve("2"));
        Files.delete(temp);
    }

    /** Property: a path is what a plainer program makes of it, and stays that when it is read again. */
    @MethodSource("pathSeeds")
    @FuzzTest(maxDuration = "60m")
    void paths(byte[] text) throws FileFailure {
        String latin = new String(text, StandardCharsets.ISO_8859_1);
        RemotePath path;
        try {
            path = RemotePath.of(text);
        } catch (FileFailure refused) {
            assertThat(latin).contains("\0");
            return;
        }
        List<String> names = new ArrayList<>();
        for (String name : latin.split("/")) {
            if (name.equals("..") && !names.isEmpty()) {
                names.remove(names.size() - 1);
            } else if (!name.isEmpty() && !name.equals(".") && !name.equals("..")) {
                names.add(name);
            }
        }
        assertThat(latin).doesNotContain("\0");
        assertThat(new String(path.bytes(), StandardCharsets.ISO_8859_1)).isEqualTo("/" + String.join("/", names));
        assertThat(RemotePath.of(path.bytes())).isEqualTo(path).hasSameHashCodeAs(path);
        assertThat(path.isRoot()).isEqualTo(names.isEmpty());
    }
}
