// SPDX-License-Identifier: Apache-2.0
package io.mely.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class StandardErrorTest {
    private static final Duration FOR_EVER = Duration.ofSeconds(30);

    private final ByteArrayOutputStream written = new ByteArrayOutputStream();
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch reader = new CountDownLatch(1);

    /** Takes nothing until the reader comes. */
    private final OutputStream stalled = new OutputStream() {
        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int from, int length) throws IOException {
            begun.countDown();
            try {
                reader.await();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
            written.write(bytes, from, length);
        }
    };

    private static void write(StandardError error, String text) {
        byte[] bytes = text.getBytes(UTF_8);
        error.write(bytes, 0, bytes.length);
    }

    // Whoever writes goes on while nobody reads. What waits comes out in order, and what found no room is counted.
    @Test
    void write_nobodyReads_goesOn_andCountsWhatIsDropped() throws Exception {
        StandardError error = new StandardError(stalled, FOR_EVER);
        write(error, "first\n");
        begun.await();
        for (int i = 0; i < StandardError.PENDING_MAX + 7; i++) {
            write(error, i + "\n");
        }
        reader.countDown();
        error.flush();
        assertThat(written.toString(UTF_8).lines())
                .hasSize(1 + StandardError.PENDING_MAX + 1)
                .startsWith("first")
                .endsWith(String.valueOf(StandardError.PENDING_MAX - 1))
                .anyMatch(line -> line.endsWith("standard error was not read in time, messages dropped: 7"));
    }

    // A flush gives up, so a stop does not hang on it.
    @Test
    void flush_nobodyReads_givesUp() {
        StandardError error = new StandardError(stalled, Duration.ofMillis(1));
        write(error, "first\n");
        error.flush();
        assertThat(written.size()).isZero();
        reader.countDown();
    }

    @Test
    void handler_writesRecordsAsLines() {
        reader.countDown();
        StandardErrorHandler handler = new StandardErrorHandler(new StandardError(stalled, FOR_EVER));
        handler.setLevel(Level.WARNING);
        LogRecord record = new LogRecord(Level.WARNING, "too many");
        record.setLoggerName("io.mely.Test");
        handler.publish(record);
        handler.publish(new LogRecord(Level.INFO, "not told"));
        handler.close();
        assertThat(written.toString(UTF_8)).endsWith(" WARNING io.mely.Test: too many" + System.lineSeparator());
        assertThat(written.toString(UTF_8).lines()).hasSize(1);
    }
}
