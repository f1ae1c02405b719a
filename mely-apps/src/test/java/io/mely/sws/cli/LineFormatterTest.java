// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Test;

class LineFormatterTest {
    // Whatever is logged, a record is one line.
    @Test
    void format_writesOneLine() {
        LogRecord record = new LogRecord(Level.WARNING, "a {0}\nb\u001b[0m");
        record.setParameters(new Object[] {"x"});
        record.setLoggerName("io.mely.test");
        record.setThrown(new IllegalStateException("outer\n!", new RuntimeException("inner")));
        String line = new LineFormatter().format(record);
        assertThat(line).hasLineCount(1).endsWith(System.lineSeparator());
        assertThat(line)
                .matches(
                        "(?s)\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}(Z|[+-]\\d\\d:\\d\\d) WARNING io\\.mely\\.test: .*")
                .contains(
                        ": a x\\nb\\u001b[0m | java.lang.IllegalStateException: outer\\n! at io.mely.sws.cli.LineFormatterTest.")
                .contains(" | caused by java.lang.RuntimeException: inner at ");
    }
}
