// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AccessLogTest {
    private static final byte[] CLIENT = "192.0.2.1".getBytes(StandardCharsets.US_ASCII);

    @TempDir
    Path folder;

    private AccessLog.Options options(Path path, long rotateBytes) {
        return new AccessLog.Options(path, LogFormat.COMBINED, 1 << 16, rotateBytes, Duration.ZERO, 1_000);
    }

    private static void add(AccessLog.Seat seat, String request) {
        byte[] in = request.getBytes(StandardCharsets.US_ASCII);
        seat.add(CLIENT, new byte[0], 0, in, 0, in.length, 200, 1, 0, 0, 0, 0);
    }

    // Cores that write as fast as they can: every line is in the file, whole and in the order of its core, or counted
    // as dropped.
    @Test
    void add_byTwoCores_theBooksClose() throws Exception {
        Path path = folder.resolve("access.log");
        int lines = 100_000;
        AccessLog log = AccessLog.open(options(path, 1 << 20), 2, System::currentTimeMillis);
        try {
            List<Thread> cores = new ArrayList<>();
            for (int core = 0; core < 2; core++) {
                AccessLog.Seat seat = log.seat(core);
                String name = "core" + core;
                cores.add(new Thread(() -> {
                    for (int i = 0; i < lines; i++) {
                        add(seat, name + " " + i);
                    }
                }));
            }
            cores.forEach(Thread::start);
            for (Thread core : cores) {
                core.join();
            }
        } finally {
            log.close();
        }
        List<Path> files;
        try (Stream<Path> found = Files.list(folder)) {
            files = found.toList();
        }
        long written = 0;
        for (Path file : files) {
            int[] last = {-1, -1};
            for (String line : Files.readAllLines(file)) {
                assertThat(line).matches("192.0.2.1 - - \\[.*] \"core[01] [0-9]+\" 200 1 \"-\" \"-\"");
                String[] words = line.substring(line.indexOf('"') + 1).split("[ \"]", 3);
                int core = words[0].charAt(4) - '0';
                int number = Integer.parseInt(words[1]);
                assertThat(number).isGreaterThan(last[core]);
                last[core] = number;
                written++;
            }
        }
        assertThat(written + log.dropped()).isEqualTo(2L * lines);
        assertThat(written).isPositive();
    }

    // A disk that takes nothing costs lines, never the core's time, and they are counted.
    @Test
    void add_fullDisk_isCounted() throws Exception {
        Path full = Path.of("/dev/full");
        org.junit.jupiter.api.Assumptions.assumeTrue(Files.exists(full));
        AccessLog log = AccessLog.open(options(full, 0), 1, System::currentTimeMillis);
        try {
            for (int i = 0; i < 5_000; i++) {
                add(log.seat(0), "line " + i);
            }
        } finally {
            log.close();
        }
        assertThat(log.dropped()).isEqualTo(5_000);
    }

    @Test
    void open_impossible_saysWhich() {
        assertThatThrownBy(() -> AccessLog.open(options(folder, 0), 1, System::currentTimeMillis))
                .isInstanceOf(IOException.class)
                .hasMessage("access log " + folder + ": is a folder");
        Path missing = folder.resolve("missing/access.log");
        assertThatThrownBy(() -> AccessLog.open(options(missing, 0), 1, System::currentTimeMillis))
                .isInstanceOf(IOException.class)
                .hasMessage("access log " + missing + ": no such folder");
    }
}
