// SPDX-License-Identifier: Apache-2.0
package io.mely;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.mely.topology.Cpus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

// Threads begin with the CPUs of who starts them. A pinned core has one: what it makes block must not be confined to
// it. In a JVM of its own, as carriers of virtual threads that others have started would do for this one, too.
class BlockingThreadsTest {
    private static final Path TASKS = Path.of("/proc/self/task");
    private static final int CALLS = 4;

    @Test
    void blockingWork_ofAPinnedCore_runsOnThreadsThatAreNotPinned() throws Exception {
        assumeTrue(Cpus.allowed().size() > 1 && Files.isDirectory(TASKS));
        String output = ChildJvm.run(BlockingThreadsTest.class, "--enable-native-access=ALL-UNNAMED");

        String all = "\t" + Cpus.allowed();
        List<String> threads =
                output.lines().filter(line -> line.contains("\t")).toList();
        assumeTrue(
                threads.stream().anyMatch(line -> line.startsWith("pin-0") && !line.endsWith(all)),
                "pinning is forbidden here");
        assertThat(threads).filteredOn(line -> !line.startsWith("pin-0")).allMatch(line -> line.endsWith(all));
        assertThat(threads).anyMatch(line -> line.startsWith("pin-blo") || line.startsWith("ForkJoi"));
    }

    /** Prints each thread's name and CPUs, while a handler's blocking calls last. */
    public static void main(String[] args) throws Exception {
        CountDownLatch areBlocking = new CountDownLatch(CALLS);
        CountDownLatch mayEnd = new CountDownLatch(1);
        try (Mely mely =
                Mely.builder().name("pin").cores(1).pinned(true).build().start()) {
            mely.color(1).execute(() -> {
                for (int i = 0; i < CALLS; i++) {
                    mely.blocking(() -> {
                        LockSupport.parkNanos(1); // a virtual thread has another one wake it
                        areBlocking.countDown();
                        return mayEnd.await(Await.PATIENCE_S, TimeUnit.SECONDS);
                    });
                }
            });
            boolean isTime = areBlocking.await(Await.PATIENCE_S, TimeUnit.SECONDS);
            try (Stream<Path> tasks = Files.list(TASKS)) {
                tasks.forEach(BlockingThreadsTest::print);
            }
            mayEnd.countDown();
            if (!isTime) {
                throw new IllegalStateException("not all calls have begun");
            }
        }
    }

    private static void print(Path task) {
        try {
            String name = Files.readString(task.resolve("comm")).strip();
            String cpus = Files.readAllLines(task.resolve("status")).stream()
                    .filter(line -> line.startsWith("Cpus_allowed_list:"))
                    .findFirst()
                    .orElseThrow();
            System.out.println(
                    name + "\t" + cpus.substring(cpus.indexOf(':') + 1).strip());
        } catch (IOException e) {
            System.out.println("gone: " + task); // a thread of the JVM that has ended meanwhile
        }
    }
}
