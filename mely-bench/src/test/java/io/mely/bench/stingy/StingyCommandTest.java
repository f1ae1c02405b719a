// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stingy;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.bench.stingy.planted.Shop;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

// From classes to a plan and into the classes, and what is wrong is said with exit code 2.
class StingyCommandTest {
    private static final String PLANTED = "io.mely.bench.stingy.planted";

    @TempDir
    Path folder;

    private String said = "";

    private int run(String... args) {
        PrintStream out = System.out;
        PrintStream err = System.err;
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        PrintStream both = new PrintStream(bytes, true, StandardCharsets.UTF_8);
        System.setOut(both);
        System.setErr(both);
        try {
            return StingyCommand.execute(args);
        } finally {
            System.setOut(out);
            System.setErr(err);
            said = bytes.toString(StandardCharsets.UTF_8);
        }
    }

    private static String classes() {
        return Shop.class.getProtectionDomain().getCodeSource().getLocation().getPath();
    }

    private String file(String name) {
        return folder.resolve(name).toString();
    }

    @Test
    void pipeline_leadsFromClassesToChangedClasses() throws Exception {
        assertThat(run("walk", "--region", "64 KiB", "--package", PLANTED, "--out", file("model.conf"), classes()))
                .as(() -> said)
                .isZero();
        assertThat(said).contains("5 stages", "unknown: size of the buffer allocated at Shop.heap");

        // What is allocated in the cycle a request has once.
        Matcher site =
                Pattern.compile("\"(Shop.parse:[0-9]+)\" \\{").matcher(Files.readString(folder.resolve("model.conf")));
        StringBuilder counts = new StringBuilder("annotations { counts {");
        site.results().forEach(each -> counts.append('"').append(each.group(1)).append("\" = 1, "));
        Files.writeString(folder.resolve("said.conf"), counts + "} }");
        String annotations = file("said.conf");
        assertThat(run(
                        "walk",
                        "--region",
                        "64 KiB",
                        "--package",
                        PLANTED,
                        "--annotations",
                        annotations,
                        "--out",
                        file("model.conf"),
                        classes()))
                .isZero();

        assertThat(run("gen", "--out", file("plan.conf"), file("model.conf")))
                .as(() -> said)
                .isZero();
        assertThat(said).contains(" limit", " holds ", "not managed: Shop.keep", "KB more");

        String changed = file("changed");
        assertThat(run("stingify", "--plan", file("plan.conf"), "--package", PLANTED, "--out", changed, classes()))
                .as(() -> said)
                .isZero();
        assertThat(said)
                .contains(
                        "- Shop.small(size)",
                        "+ Shop.small$stingy",
                        "+ StingyAlloc.buffer(allocator, ",
                        "1 classes changed");
        assertThat(Path.of(changed, PLANTED.replace('.', '/'), "Shop.class")).exists();
    }

    @Test
    void oneRequestThatDoesNotFit_isSaid() throws Exception {
        Files.writeString(
                folder.resolve("model.conf"),
                "stingy { region = 1 KiB, objects { a { size = 2000 } }, stages { Read { allocs { a = 1 }, frees = [a] } } }");
        assertThat(run("gen", file("model.conf"))).isEqualTo(1);
        assertThat(said).contains("in stage Read it needs 2048 bytes, the region has 1024, 1024 are missing");
        assertThat(run("gen", "--region", "2 KiB", file("model.conf"))).isZero();
        assertThat(said).contains("size = 2000, count = 1");
    }

    @Test
    void separateObjects_haveAreasOfTheirOwn() throws Exception {
        Files.writeString(
                folder.resolve("model.conf"),
                "stingy { region = 1 KiB, objects { a { size = 64 }, b { size = 64 } }, stages {"
                        + " Read { allocs { a = 1 }, frees = [a], next = [Write] }, Write { allocs { b = 1 }, frees = [b] } } }");
        assertThat(run("gen", file("model.conf"))).isZero();
        assertThat(said).contains("are used; areas: 1.");
        assertThat(run("gen", "--separate", file("model.conf"))).isZero();
        assertThat(said).contains("are used; areas: 2.", "count = 8");
    }

    @Test
    void wrongOptionsAndFiles_areRefused() throws Exception {
        assertThat(run()).isEqualTo(2);
        assertThat(run("walc")).isEqualTo(2);
        assertThat(said).contains("walk");
        assertThat(run("walk", "--region", "big", classes())).isEqualTo(2);
        assertThat(said).contains("--region must be a size > 0, as 1 MiB: big");
        assertThat(run("walk", "--region", "1 MiB", file("none.jar"))).isEqualTo(2);
        assertThat(said).contains("none.jar: no such jar or folder");
        Files.writeString(folder.resolve("text.jar"), "text");
        assertThat(run("walk", "--region", "1 MiB", file("text.jar"))).isEqualTo(2);
        assertThat(said).contains("text.jar");
        assertThat(run("walk", "--region", "1 MiB", "--package", "io.mely.bench.report", classes()))
                .isEqualTo(2);
        assertThat(said).contains("no call of Mely.stage");
        assertThat(run("walk", "--region", "1 MiB", "--package", PLANTED, "--from", "Parze", classes()))
                .isEqualTo(2);
        assertThat(said).contains("no stage 'Parze'; the nearest is Parse");
        assertThat(run("gen", file("none.conf"))).isEqualTo(2);
        assertThat(said).contains("none.conf: no such file");
        assertThat(run("stingify", "--plan", file("none.conf"), "--out", file("x"), classes()))
                .isEqualTo(2);
        assertThat(said).contains("none.conf: no such file");
    }

    @Test
    void fileThatCannotBeWritten_isSaid() throws Exception {
        assertThat(run("walk", "--region", "1 MiB", "--package", PLANTED, "--out", file("none/model.conf"), classes()))
                .isEqualTo(1);
        assertThat(said).contains("cannot write ", "model.conf");
    }
}
