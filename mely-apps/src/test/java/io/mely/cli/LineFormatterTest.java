// SPDX-License-Identifier: Apache-2.0
package io.mely.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Test;

class LineFormatterTest {
    // Whatever is logged, a record is one line.
    @Test
    void format_writesOneLine() {
        LogRecord record = new LogRecord(Level.WARNING, "a {0}\nb\u001b[0m");
        record.setParameters(new Object[] {"x"});
        record.setInstant(Instant.parse("2026-11-21T10:11:12.123456Z"));
        record.setLoggerName("io.mely.test");
        record.setThrown(new IllegalStateException("outer\n!", new RuntimeException("inner")));
        String line = new LineFormatter().format(record);
        assertThat(line).hasLineCount(1).endsWith(System.lineSeparator());
        assertThat(line)
                .startsWith("2026-11-21T10:11:12.123Z WARNING io.mely.test: ")
                .contains(
                        ": a x\\nb\\u001b[0m | java.lang.IllegalStateException: outer\\n! at io.mely.cli.LineFormatterTest.")
                .contains(" | caused by java.lang.RuntimeException: inner at ");
    }
}
