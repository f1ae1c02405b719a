// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.paper;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What Linux says of threads by name, and of its host, is added up from a moment on. */
class LostTimeTest {
    @TempDir
    @SuppressWarnings("NullAway.Init") // by JUnit
    private Path folder;

    @BeforeEach
    void machine() throws IOException {
        stolen(7);
        task(1, "paper-0", 1_000);
        task(2, "java", 5_000);
    }

    private void task(int id, String name, long waitedNs) throws IOException {
        Path task = Files.createDirectories(folder.resolve("task/" + id));
        Files.writeString(task.resolve("comm"), name + "\n");
        Files.writeString(task.resolve("schedstat"), "123456 " + waitedNs + " 17\n");
    }

    private void stolen(int ticks) throws IOException {
        Files.writeString(folder.resolve("stat"), "cpu  1 2 3 4 5 0 6 " + ticks + " 0 0\ncpu0 0 0 0 0 0 0 0 0 0 0\n");
    }

    private LostTime begin() {
        return LostTime.of("paper", folder.resolve("task"), folder.resolve("stat"));
    }

    @Test
    void waits_countByNameAndFromTheBeginning() throws IOException {
        LostTime lost = begin();
        task(1, "paper-0", 1_700);
        task(2, "java", 9_000);
        assertThat(lost.ns()).isEqualTo(700);
    }

    @Test
    void threadThatBegins_countsWhole_andOneThatEndsNotAtAll() throws IOException {
        LostTime lost = begin();
        task(3, "paper-1", 40);
        Files.delete(folder.resolve("task/1/schedstat"));
        assertThat(lost.ns()).isEqualTo(40);
    }

    @Test
    void ticksOfTheHost_areTenMilliseconds() throws IOException {
        LostTime lost = begin();
        stolen(9);
        assertThat(lost.ns()).isEqualTo(20_000_000);
    }

    @Test
    void elsewhere_isNothing() {
        LostTime lost = LostTime.of("paper", folder.resolve("none"), folder.resolve("nowhere"));
        assertThat(lost.ns()).isZero();
    }
}
