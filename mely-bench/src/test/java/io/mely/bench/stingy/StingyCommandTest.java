// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stingy;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.bench.stingy.planted.Shop;
import io.mely.deploy.stingy.PlanFile;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
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

    // The example of the guide.
    @Test
    void run_leadsFromClassesToCurves() throws Exception {
        int compiled = ToolProvider.getSystemJavaCompiler()
                .run(
                        null,
                        null,
                        null,
                        "-proc:none",
                        "-cp",
                        System.getProperty("java.class.path"),
                        "-d",
                        file("quotes"),
                        "../docs/examples/Quotes.java");
        assertThat(compiled).isZero();
        assertThat(run(
                        "run",
                        "--machine",
                        "../config/machines/development-2-epyc.conf",
                        "--in-flight",
                        "2",
                        file("quotes")))
                .as(() -> said)
                .isZero();
        assertThat(said).contains("Quotes.answer:", "areas: 3.", "At 2 in flight: ");
    }

    @Test
    void run_ofAModel_writesItsFiles_andSaysWhatIsWrong() throws Exception {
        Files.writeString(
                folder.resolve("model.conf"),
                "stingy { region = 32 KiB, objects { a { size = 1025 }, b { size = 2049 } }, stages {"
                        + " Read { allocs { a = 1 }, next = [Write] }, Write { allocs { b = 1 }, frees = [a, b] } } }");
        String machine = "../config/machines/development-2-epyc.conf";
        assertThat(run(
                        "run",
                        "--machine",
                        machine,
                        "--in-flight",
                        "1,16",
                        "--plan-out",
                        file("plan.conf"),
                        "--plot",
                        file("plot.svg"),
                        "--plot-misses",
                        file("misses.svg"),
                        "--csv",
                        file("all.csv"),
                        file("model.conf")))
                .as(() -> said)
                .isZero();
        assertThat(said).contains("are used; areas: 2.", "simulated: 16 in flight", "At 16 in flight: ");
        assertThat(PlanFile.read(folder.resolve("plan.conf")).objects()).hasSize(2);
        assertThat(folder.resolve("plot.svg")).content().startsWith("<svg");
        assertThat(folder.resolve("misses.svg")).content().startsWith("<svg");
        assertThat(folder.resolve("all.csv")).content().contains("\n16,");
        assertThat(run("run", "--machine", machine, "--region", "2 KiB", file("model.conf")))
                .isEqualTo(1);
        assertThat(said).contains("one request does not fit");
        assertThat(run("run", "--machine", file("none"), file("model.conf"))).isEqualTo(2);
        assertThat(said).contains("no such machine");
        assertThat(run("run", "--machine", machine, "--in-flight", "0", file("model.conf")))
                .isEqualTo(2);
        assertThat(said).contains("--in-flight must be 1 to 65536: [0]");
        assertThat(run("run", "--machine", machine, "--engine", "libasync-mp", file("model.conf")))
                .isEqualTo(2);
        assertThat(said).contains("--engine must be one of ");
        assertThat(run("run", "--machine", machine, "--without", "Read", file("model.conf")))
                .isEqualTo(2);
        assertThat(said).contains("a model stands alone");
        assertThat(run("run", "--machine", machine, "--machine-set", "memory.latenzy", file("model.conf")))
                .isEqualTo(2);
        Files.writeString(
                folder.resolve("endless.conf"),
                "stingy { region = 1 KiB, objects { a { size = 10 } }, stages { Read { next = [Read] } } }");
        assertThat(run("run", "--machine", machine, file("endless.conf"))).isEqualTo(2);
        assertThat(said).contains("a request would never end: from stage Read on");
        Files.writeString(
                folder.resolve("nothing.conf"),
                "stingy { region = 1 KiB, objects { a { place = here } }, stages { Read { allocs { a = 1 } } } }");
        assertThat(run("run", "--machine", machine, file("nothing.conf"))).isEqualTo(1);
        assertThat(said).contains("No buffer is managed");
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
