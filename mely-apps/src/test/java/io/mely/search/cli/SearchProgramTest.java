// SPDX-License-Identifier: Apache-2.0
package io.mely.search.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.mely.cli.Command;
import io.mely.cli.Reference;
import io.mely.cli.Setting;
import io.mely.cli.StopSignals;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** After a change of {@link Settings}: {@code mvn test -Dtest=SearchProgramTest -Dmely.reference.write=true} writes the sample anew. */
@Timeout(120)
class SearchProgramTest {
    private static final Path SAMPLE = Path.of("..", "config", "search.conf");
    private static final Map<Setting<?>, String> HEADINGS = Map.of(
            Settings.ROOT, "What is searched",
            Settings.PORT, "The server",
            Settings.CACHE, "The search");

    @TempDir
    Path temp;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private int run(String... args) {
        StopSignals signals = StopSignals.manual();
        return new Command(
                        new SearchProgram(),
                        Map.of(),
                        new PrintStream(out, true, UTF_8),
                        new PrintStream(err, true, UTF_8),
                        signals)
                .run(args);
    }

    private String[] rehearse(String... more) {
        return java.util.stream.Stream.concat(
                        java.util.stream.Stream.of(
                                "--rehearse", "--index", temp.resolve("index").toString()),
                        java.util.stream.Stream.of(more))
                .toArray(String[]::new);
    }

    private Path site() throws IOException {
        Path site = Files.createDirectories(temp.resolve("site"));
        Files.writeString(site.resolve("a.md"), "# A page\n\nwith a rehearsal");
        return site;
    }

    @Test
    void folder_isIndexedAndServed() throws IOException {
        assertThat(run(rehearse(site().toString(), "--stats")))
                .as(err.toString(UTF_8))
                .isZero();
        assertThat(out.toString(UTF_8))
                .startsWith("search listening on http://127.0.0.1:")
                .contains("1 pages");
        assertThat(err.toString(UTF_8)).contains("search statistics");
    }

    @Test
    void indexThatIsThere_isUsed_unlessANewOneIsAskedFor() throws IOException {
        Path site = site();
        assertThat(run(rehearse(site.toString()))).isZero();
        Files.writeString(site.resolve("b.txt"), "more");
        assertThat(run(rehearse(site.toString()))).isZero();
        assertThat(out.toString(UTF_8)).doesNotContain("2 pages");
        assertThat(run(rehearse(site.toString(), "--reindex"))).isZero();
        assertThat(out.toString(UTF_8)).contains("2 pages");
    }

    @Test
    void demo_needsNothing() {
        assertThat(run("--demo", "--rehearse")).as(err.toString(UTF_8)).isZero();
        assertThat(out.toString(UTF_8)).contains("5,000 pages");
    }

    @Test
    void mistakes_areExplained() throws IOException {
        assertThat(run("--prot", "1")).isEqualTo(2);
        assertThat(run(rehearse(temp.resolve("missing").toString()))).isEqualTo(1);
        Path stages = temp.resolve("stages.conf");
        Files.writeString(stages, "stages { SetCombinr { group = main } }");
        assertThat(run(rehearse(site().toString(), "--stages", stages.toString())))
                .isEqualTo(2);
        assertThat(err.toString(UTF_8))
                .contains("search: unknown option '--prot'; the nearest known option is --port")
                .contains("missing: neither a folder nor a dictionary's .index file")
                .contains("SetCombinr: unknown stage; the nearest is SetCombiner");
    }

    @Test
    void damagedIndex_isSaid_withWhatHelps() throws IOException {
        Path site = site();
        assertThat(run(rehearse(site.toString()))).isZero();
        Files.delete(temp.resolve("index/1/manifest"));
        assertThat(run(rehearse(site.toString()))).isEqualTo(1);
        assertThat(err.toString(UTF_8)).contains("no manifest").contains("--reindex makes a new one");
        assertThat(run(rehearse(site.toString(), "--reindex"))).isZero();
    }

    @Test
    void stages_runUnderOtherPolicies() throws IOException {
        Path stages = temp.resolve("stages.conf");
        Files.writeString(
                stages,
                "groups { seda { policy = pool-per-stage, threads = 2 } }\nstages { SetCombiner { group = seda }, Formatter { group = seda } }");
        assertThat(run(rehearse(site().toString(), "--stages", stages.toString())))
                .as(err.toString(UTF_8))
                .isZero();
    }

    @Test
    void sample_isUpToDate() throws IOException {
        Reference.checkFile(SAMPLE, Settings.TABLE, "the search server", HEADINGS);
    }

    @Test
    void help_namesAllFlags_inEightyColumns() {
        assertThat(run("--help")).isZero();
        Reference.checkHelp(out.toString(UTF_8), Settings.TABLE);
    }
}
