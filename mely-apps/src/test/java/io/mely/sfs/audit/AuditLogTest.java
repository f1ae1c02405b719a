// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIf;
import org.junit.jupiter.api.io.TempDir;

class AuditLogTest {
    @TempDir
    Path temp;

    private static String line(String name, byte[] path) {
        return new AuditLine(0, "open").with("n", 5).with(name, path).toString();
    }

    // Whatever somebody names a file: it is one field of one line, and can be told from another name.
    @Test
    void path_ofAnyBytes_isOneField() {
        assertThat(line("path", "/plain \u00e9 \u65e5".getBytes(StandardCharsets.UTF_8)))
                .isEqualTo("1970-01-01T00:00:00.000Z open n=5 path=\"/plain \u00e9 \u65e5\"");
        assertThat(line("p", "a\nb\"c\\d\u202e".getBytes(StandardCharsets.UTF_8)))
                .endsWith(" p=\"a\\u{a}b\\\"c\\\\d\\u{202e}\"");
        assertThat(line("p", new byte[] {'a', (byte) 0xff, '"'})).endsWith(" p=\"a\\xff\\\"\"");
    }

    @Test
    void lines_written_areThereAtOnce() throws Exception {
        Path file = temp.resolve("audit.log");
        try (AuditLog log = AuditLog.open(file, 0, Duration.ZERO, 0, () -> 1_000)) {
            log.write(log.line("login").with("user", "team"));
            assertThat(file).hasContent("1970-01-01T00:00:01.000Z login user=\"team\"");
            assertThat(log.isOn()).isTrue();
        }
        assertThat(AuditLog.none().isOn()).isFalse();
    }

    // A log that somebody moves away is begun anew.
    @Test
    void file_movedAway_isMadeAgain() throws Exception {
        Path file = temp.resolve("audit.log");
        long[] nowMs = {0};
        try (AuditLog log = AuditLog.open(file, 0, Duration.ZERO, 0, () -> nowMs[0])) {
            log.write(log.line("one"));
            Files.move(file, temp.resolve("old"));
            nowMs[0] = 5_000;
            log.write(log.line("two"));
        }
        assertThat(temp.resolve("old")).content().contains("one").doesNotContain("two");
        assertThat(file).content().contains("two");
    }

    static boolean isFullMissing() {
        return !Files.exists(Path.of("/dev/full"));
    }

    // A full disk loses the line, which is counted, and not the client.
    @Test
    @DisabledIf("isFullMissing")
    void disk_full_countsLines() throws Exception {
        try (AuditLog log = AuditLog.open(Path.of("/dev/full"), 0, Duration.ZERO, 0, () -> 0)) {
            log.write(log.line("one"));
            log.write(log.line("two"));
            assertThat(log.lost()).isEqualTo(2);
        }
    }

    @Test
    void file_thatCannotBe_isSaid() {
        assertThatThrownBy(() -> AuditLog.open(temp, 0, Duration.ZERO, 0, () -> 0))
                .hasMessageContaining("is a folder");
        assertThatThrownBy(() -> AuditLog.open(temp.resolve("none/x"), 0, Duration.ZERO, 0, () -> 0))
                .hasMessageContaining("no such folder");
    }
}
