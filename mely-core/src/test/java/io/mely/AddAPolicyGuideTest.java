// SPDX-License-Identifier: Apache-2.0
package io.mely;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.policy.VisitPolicy;
import io.mely.spi.StageGroup;
import io.mely.spi.Workers;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The guide shows the policy in docs/examples; it compiles, does what the guide says, and keeps the contract of all policies. */
class AddAPolicyGuideTest extends PolicyContract {
    private static final Path TOP = Path.of("").toAbsolutePath().getParent();
    private static final Path EXAMPLE = TOP.resolve("docs/examples/UrgentFirst.java");
    private static final Path GUIDE = TOP.resolve("docs/guides/add-a-policy.md");

    @TempDir
    static Path classes;

    private static URLClassLoader loader;

    private static Class<?> example() throws IOException, ReflectiveOperationException {
        if (loader == null) {
            ByteArrayOutputStream said = new ByteArrayOutputStream();
            int failures = ToolProvider.getSystemJavaCompiler()
                    .run(
                            null,
                            said,
                            said,
                            "-Xlint:all",
                            "-Werror",
                            "-proc:none",
                            "-cp",
                            System.getProperty("java.class.path"),
                            "-d",
                            classes.toString(),
                            EXAMPLE.toString());
            assertThat(failures).as(said.toString(StandardCharsets.UTF_8)).isZero();
            loader = new URLClassLoader(new URL[] {classes.toUri().toURL()});
        }
        return loader.loadClass("UrgentFirst");
    }

    @AfterAll
    static void unload() throws IOException {
        if (loader != null) {
            loader.close();
            loader = null;
        }
    }

    private static StageGroup create(Workers workers) {
        try {
            return (StageGroup) example().getConstructor(Workers.class).newInstance(workers);
        } catch (IOException | ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    protected Stream<Setting> settings() {
        return Stream.of(
                new Setting("urgent-first", Policy.of("urgent-first", AddAPolicyGuideTest::create), false, false));
    }

    @Test
    void guide_showsTheExample() throws IOException {
        assertThat(Files.readString(GUIDE)).contains("```java\n" + Files.readString(EXAMPLE) + "```");
    }

    @Test
    void example_printsTheCallFirst() throws Exception {
        PrintStream before = System.out;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
        try {
            example().getMethod("main", String[].class).invoke(null, (Object) new String[0]);
        } finally {
            System.setOut(before);
        }
        assertThat(printed.toString(StandardCharsets.UTF_8).lines()).containsExactly("a call", "a report");
    }

    @Test
    void order_ofTheGuide_goesBackwards() throws IOException {
        // as in the guide, which is looked up in this file
        VisitPolicy backwards = VisitPolicy.of(
                (core, cores) -> (stages, last) -> (Math.max(last.stage(), 0) + stages.count() - 1) % stages.count());
        String source = Files.readString(Path.of("src/test/java/io/mely/AddAPolicyGuideTest.java"));
        String shown = Files.readString(GUIDE)
                .lines()
                .filter(line -> line.startsWith("VisitPolicy backwards"))
                .findFirst()
                .orElseThrow();
        assertThat(source.replaceAll("\\s+", "")).contains(shown.replaceAll("\\s+", ""));
        List<String> ran = new ArrayList<>();
        Mely mely = Mely.builder()
                .cores(1)
                .policy(Policy.of("backwards", backwards))
                .build();
        for (String name : List.of("a", "b", "c")) {
            mely.stage(name, event -> ran.add(name)).send(name);
        }
        mely.start();
        mely.close();
        assertThat(ran).containsExactly("c", "b", "a");
    }
}
