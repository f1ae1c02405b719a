// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.audit;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StrangerLinesTest {
    private static final long SECOND_NS = 1_000_000_000;

    @TempDir
    Path temp;

    // Lines written and lines left out are all lines that there were.
    @Test
    void lines_ofAFlood_areCountedInsteadOfWritten() throws Exception {
        try (AuditLog log = AuditLog.open(temp.resolve("audit.log"), 0, Duration.ZERO, 0, () -> 0)) {
            StrangerLines lines = new StrangerLines(log);
            int written = 0;
            for (int i = 0; i < 10_000; i++) {
                written += lines.line("refused", SECOND_NS) == null ? 0 : 1;
            }
            assertThat(written).isEqualTo(StrangerLines.LINES_AT_ONCE);
            // Another kind has its own room.
            assertThat(lines.line("login-failed", SECOND_NS)).isNotNull();
            assertThat(lines.line("refused", 2 * SECOND_NS)).asString().endsWith(" refused left-out=9900");
            for (int i = 0; i < 10; i++) {
                lines.line("refused", 2 * SECOND_NS);
            }
            assertThat(lines.rest()).hasSize(1).first().asString().endsWith(" refused left-out=1");
            assertThat(lines.rest()).isEmpty();
        }
    }

    @Test
    void lines_nowAndThen_areAllWritten() throws Exception {
        try (AuditLog log = AuditLog.open(temp.resolve("audit.log"), 0, Duration.ZERO, 0, () -> 0)) {
            StrangerLines lines = new StrangerLines(log);
            for (int i = 0; i < 1000; i++) {
                assertThat(lines.line("refused", i * SECOND_NS / StrangerLines.LINES_PER_S))
                        .isNotNull();
            }
            assertThat(lines.rest()).isEmpty();
        }
    }

    @Test
    void lines_withoutALog_areNotMade() {
        StrangerLines lines = new StrangerLines(AuditLog.none());
        assertThat(lines.line("refused", 0)).isNull();
        assertThat(lines.rest()).isEmpty();
    }
}
