// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.mely.bench.load.SpecWeb.File;
import io.netty.channel.epoll.Epoll;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SpecWebTest {
    /** Of what is asked for below /site. */
    private static final Map<String, Long> BYTES =
            SpecWeb.files(1).stream().collect(Collectors.toMap(f -> "/site/" + f.path(), File::bytes));

    private static double share(List<File> files, Predicate<File> of) {
        return files.stream().filter(of).mapToDouble(File::share).sum();
    }

    // Classes 35, 50, 14 and 1 %; the fifth file of each the most popular; directories by Zipf; sizes in steps of the
    // class.
    @Test
    void files_areAsTheInjectorHasThem() {
        List<File> files = SpecWeb.files(100);
        int directories = 25 + 65;
        assertThat(files).hasSize(directories * 36);
        assertThat(share(files, f -> true)).isCloseTo(1, within(1e-9));
        double[] classes = {0.35, 0.50, 0.14, 0.01};
        for (int i = 0; i < classes.length; i++) {
            String name = "/class" + i + "_";
            assertThat(share(files, f -> f.path().contains(name))).isCloseTo(classes[i], within(1e-9));
        }
        assertThat(share(files, f -> f.path().endsWith("_4"))).isCloseTo(0.716 - 0.363, within(1e-9));
        assertThat(share(files, f -> f.path().endsWith("_0"))).isCloseTo(0.039, within(1e-9));
        double first = share(files, f -> f.path().startsWith("dir00000/"));
        assertThat(share(files, f -> f.path().startsWith("dir00009/"))).isCloseTo(first / 10, within(1e-9));
        Map<String, Long> bytes = new HashMap<>();
        files.forEach(f -> bytes.put(f.path(), f.bytes()));
        assertThat(bytes).hasSize(files.size());
        assertThat(bytes).containsEntry("dir00000/class0_0", 102L).containsEntry("dir00089/class3_8", 921_600L);
        assertThat(files.stream().limit(36).mapToLong(File::bytes).sum())
                .isEqualTo(45L * (102 + 1_024 + 10_240 + 102_400));
    }

    // What is drawn is what the shares say.
    @Test
    void next_drawsByWeight() {
        List<File> files = SpecWeb.files(1);
        WeightedChoice choice =
                new WeightedChoice(files.stream().mapToDouble(File::share).toArray());
        SplittableRandom random = new SplittableRandom(1);
        int draws = 1_000_000;
        int[] classes = new int[4];
        int firstDirectory = 0;
        for (int i = 0; i < draws; i++) {
            String path = files.get(choice.next(random)).path();
            classes[path.charAt("dir00000/class".length()) - '0']++;
            firstDirectory += path.startsWith("dir00000/") ? 1 : 0;
        }
        double first = share(files, f -> f.path().startsWith("dir00000/"));
        assertThat(classes[0] / (double) draws).isCloseTo(0.35, within(0.003));
        assertThat(classes[1] / (double) draws).isCloseTo(0.50, within(0.003));
        assertThat(classes[2] / (double) draws).isCloseTo(0.14, within(0.003));
        assertThat(classes[3] / (double) draws).isCloseTo(0.01, within(0.001));
        assertThat(firstDirectory / (double) draws).isCloseTo(first, within(0.003));
    }

    // The files have their lengths, and no two the same content.
    @Test
    void write_makesThem(@TempDir Path root) throws IOException {
        List<File> files = SpecWeb.files(1).subList(0, 36);
        SpecWeb.write(root, files);
        Set<Integer> contents = new HashSet<>();
        for (File file : files) {
            byte[] content = Files.readAllBytes(root.resolve(file.path()));
            assertThat(content).hasSize((int) file.bytes());
            contents.add(java.util.Arrays.hashCode(content));
        }
        assertThat(contents).hasSameSizeAs(files);
    }

    // Clients ask below the URL, for many files.
    @Test
    void load_asksForThem() throws IOException {
        assumeTrue(Epoll.isAvailable());
        Set<String> asked = ConcurrentHashMap.newKeySet();
        try (ScriptedServer server = new ScriptedServer((number, path, to) -> {
            asked.add(path);
            return answer(path, "x", to);
        })) {
            int runs = 0;
            while (runs == 0 || asked.size() <= 10) {
                assertThat(load(server)).isZero();
                assertThat(++runs).as("asked for: %s", asked).isLessThan(50);
            }
        }
        assertThat(asked).isSubsetOf(BYTES.keySet());
    }

    // With the files at hand, another content of the same length is an error.
    @Test
    void load_withRoot_verifies(@TempDir Path root) throws IOException {
        assumeTrue(Epoll.isAvailable());
        for (Map.Entry<String, Long> file : BYTES.entrySet()) {
            Path path = root.resolve(file.getKey().substring(1));
            Files.createDirectories(path.getParent());
            try (RandomAccessFile zeros = new RandomAccessFile(path.toFile(), "rw")) {
                zeros.setLength(file.getValue());
            }
        }
        try (ScriptedServer server = new ScriptedServer((number, path, to) -> answer(path, "\0", to))) {
            assertThat(load(server, "--root=" + root)).isZero();
        }
        try (ScriptedServer server = new ScriptedServer((number, path, to) -> answer(path, "x", to))) {
            assertThat(load(server, "--root=" + root)).isEqualTo(3);
        }
    }

    private static boolean answer(String path, String letter, Socket to) throws IOException {
        int length = Math.toIntExact(BYTES.getOrDefault(path, 0L));
        ScriptedServer.write(to, ScriptedServer.response(200, letter.repeat(length)));
        return true;
    }

    private static int load(ScriptedServer server, String... more) {
        List<String> args = new ArrayList<>(List.of(
                "http://127.0.0.1:" + server.port() + "/site",
                "--specweb=1",
                "--seconds=0.2",
                "--warm-seconds=0",
                "--repeat=1",
                "--clients=4",
                "--threads=1"));
        args.addAll(List.of(more));
        return LoadCommand.execute(args.toArray(new String[0]));
    }
}
