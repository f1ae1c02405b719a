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
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

// Threads begin with the CPUs of who starts them. Those of the JVM's pools serve everybody: a handler on a pinned core
// that happens to use them first must not confine them to its CPU. In a JVM of its own, whose pools are empty.
class HandlerThreadsTest {
    private static final Path TASKS = Path.of("/proc/self/task");

    @Test
    void threadsThatAHandlerStarts_doNotStayOnItsCpu() throws Exception {
        assumeTrue(Cpus.allowed().size() > 1 && Files.isDirectory(TASKS));

        String output = ChildJvm.run(HandlerThreadsTest.class, "--enable-native-access=ALL-UNNAMED");

        assumeTrue(!output.contains("not pinned"), "pinning is forbidden here");
        assertThat(output).contains("common pool: true", "own thread: true", "all are free");
    }

    /** Waits until no thread but the core's own ones is confined. */
    public static void main(String[] args) throws Exception {
        CountDownLatch mayEnd = new CountDownLatch(1);
        CountDownLatch haveBegun = new CountDownLatch(3);
        Runnable block = () -> {
            haveBegun.countDown();
            try {
                mayEnd.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        };
        try (Mely mely =
                Mely.builder().name("pin").cores(1).pinned(true).build().start()) {
            mely.color(1).execute(() -> {
                System.out.println(IntStream.range(0, 1_000).parallel().sum());
                ForkJoinPool.commonPool().execute(block);
                startVirtual(block);
                Thread thread = new Thread(block, "own");
                thread.setDaemon(true);
                thread.start();
            });
            if (!haveBegun.await(Await.PATIENCE_S, TimeUnit.SECONDS)) {
                throw new IllegalStateException("not all threads have begun");
            }
            if (mely.stats().cores().get(0).cpu() < 0) {
                System.out.println("not pinned");
                return;
            }
            Await.until(
                    () -> "free: " + confined(), () -> confined().stream().allMatch(name -> name.startsWith("pin-0")));
            System.out.println("common pool: " + names().anyMatch(name -> name.startsWith("ForkJoi")));
            System.out.println("own thread: " + names().anyMatch(name -> name.equals("own")));
            System.out.println("all are free");
        } finally {
            mayEnd.countDown();
        }
    }

    /** On JDKs that have virtual threads; else another one. */
    private static void startVirtual(Runnable body) {
        try {
            Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, body);
        } catch (ReflectiveOperationException e) {
            Thread thread = new Thread(body, "other");
            thread.setDaemon(true);
            thread.start();
        }
    }

    private static List<String> confined() {
        String all = "\t" + Cpus.allowed();
        return tasks().filter(task -> !task.endsWith(all))
                .map(task -> task.substring(0, task.indexOf('\t')))
                .toList();
    }

    private static Stream<String> names() {
        return tasks().map(task -> task.substring(0, task.indexOf('\t')));
    }

    /** Name and CPUs of each thread. */
    private static Stream<String> tasks() {
        try (Stream<Path> tasks = Files.list(TASKS)) {
            return tasks.toList().stream().flatMap(HandlerThreadsTest::task);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static Stream<String> task(Path task) {
        try {
            String name = Files.readString(task.resolve("comm")).strip();
            return Files.readAllLines(task.resolve("status")).stream()
                    .filter(line -> line.startsWith("Cpus_allowed_list:"))
                    .map(line ->
                            name + "\t" + line.substring(line.indexOf(':') + 1).strip());
        } catch (IOException e) {
            return Stream.of(); // a thread of the JVM that has ended meanwhile
        }
    }
}
