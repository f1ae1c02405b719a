// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stages;

import static org.assertj.core.api.Assertions.assertThat;

import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Property: each contender runs, its books are closed (else the exit code is 3), and what was measured is written. */
class StagesCommandsTest {
    @TempDir
    private Path dir;

    private Path json() {
        return dir.resolve("runs.json");
    }

    private Path svg() {
        return dir.resolve("plot.svg");
    }

    private long runsWith(String text) throws IOException {
        return Files.readString(json())
                .lines()
                .filter(line -> line.contains(text))
                .count();
    }

    @Test
    void admission_measuresEachControllerAtEachLoad() throws IOException {
        assertThat(AdmissionCommand.execute(
                        "--rounds=1",
                        "--warm-rounds=0",
                        "--tries=1",
                        "--stage-us=20",
                        "--target-ms=5",
                        "--warm-seconds=0.05",
                        "--seconds=0.1",
                        "--load=0.5,2",
                        "--json=" + json(),
                        "--svg=" + svg()))
                .isZero();
        for (String name : new String[] {"none", "bound", "bound-first", "direct", "pid", "mm1"}) {
            assertThat(runsWith("\"controller\": \"" + name + "\"")).isEqualTo(2);
        }
        assertThat(svg()).content().contains("<svg", "bound", "</svg>");
    }

    @Test
    void demand_measuresEachPhase_andEachNumberOfCores() throws IOException {
        assertThat(DemandCommand.execute(
                        "--rounds=1",
                        "--warm-rounds=0",
                        "--tries=1",
                        "--stage-us=20",
                        "--seconds=1.05", // a first second is measured apart
                        "--high=0.8",
                        "--json=" + json(),
                        "--svg=" + svg()))
                .isZero();
        assertThat(runsWith("\"contender\": \"by demand\"")).isEqualTo(3);
        assertThat(runsWith("\"contender\": \"1 core\"")).isEqualTo(2);
        assertThat(runsWith("\"contender\": \"2 cores\"")).isEqualTo(2);
        assertThat(svg()).content().contains("<svg", "goal", "</svg>");
    }

    private int stages(String... args) {
        List<String> all = new ArrayList<>(List.of(args));
        all.addAll(List.of(
                "--rounds=1",
                "--warm-rounds=0",
                "--cores=2",
                "--clients=16",
                "--warm-seconds=0.1",
                "--seconds=0.15",
                "--json=" + json(),
                "--svg=" + svg()));
        return StagesCommand.execute(all.toArray(String[]::new));
    }

    // Policies, called stages, pools and peers: each answers every query, or the exit code is 3.
    @Test
    void search_isRunByPoliciesAndPeers() throws IOException {
        Path profile = dir.resolve("profile.json");
        List<String> names = List.of(
                "colored",
                "central-queue-under",
                "seda",
                "srpt",
                "cohort-stacks",
                "completable-future",
                "thread-per-request",
                "pekko-actors",
                "lucene-pool",
                "search-server-http",
                "jetty-lucene-http");
        assertThat(stages("search", "--contender=" + String.join(",", names), "--profile=" + profile))
                .isZero();
        assertThat(profile).content().contains("SetCombiner");
        for (String name : names) {
            assertThat(runsWith("\"contender\": \"" + name + "\"")).as(name).isEqualTo(1);
        }
        assertThat(svg()).content().contains("<svg", "pekko-actors", "</svg>");
    }

    // Made-up pictures and a folder's; policies, pools and peers. What is behind the answers is waited for, too.
    @Test
    void image_isRunByPoliciesAndPeers() throws IOException {
        Path folder = Files.createDirectories(dir.resolve("pictures"));
        for (int i = 0; i < 4; i++) {
            BufferedImage image = new BufferedImage(200 + i, 150, BufferedImage.TYPE_INT_RGB);
            assertThat(ImageIO.write(image, "jpeg", folder.resolve(i + ".jpg").toFile()))
                    .isTrue();
        }
        assertThat(stages(
                        "image",
                        "--pictures=" + folder,
                        "--contender=colored,seda,mg1,completable-future,thread-per-request"))
                .isZero();
        for (String name : new String[] {"colored", "seda", "mg1", "completable-future", "thread-per-request"}) {
            assertThat(runsWith("\"contender\": \"" + name + "\"")).as(name).isEqualTo(1);
        }
    }

    // Real pictures of any size become files of the thesis's sizes, and those are what is uploaded.
    @Test
    void pictures_areMadeOfThoseOfAFolder() throws IOException {
        Path from = Files.createDirectories(dir.resolve("from/deeper"));
        for (int i = 0; i < 3; i++) {
            BufferedImage image = new BufferedImage(600 + 400 * i, 500, BufferedImage.TYPE_INT_RGB);
            SplittableRandom random = new SplittableRandom(i);
            for (int x = 0; x < image.getWidth(); x++) {
                for (int y = 0; y < 500; y++) {
                    image.setRGB(x, y, random.nextInt() & 0x3f3f3f);
                }
            }
            assertThat(ImageIO.write(image, "png", from.resolve(i + ".png").toFile()))
                    .isTrue();
        }
        Files.writeString(from.resolve("no.png"), "no picture");
        Path to = dir.resolve("to");
        assertThat(StagesCommand.execute("pictures", "--from=" + dir.resolve("from"), "--to=" + to, "--count=20"))
                .isZero();
        try (Stream<Path> made = Files.list(to)) {
            assertThat(made)
                    .hasSize(20)
                    .allSatisfy(file -> assertThat(ImageIO.read(file.toFile())).isNotNull());
        }
        byte[] first = Files.readAllBytes(to.resolve("00000.jpg"));
        assertThat(first.length).isGreaterThan(500);
        assertThat(StagesCommand.execute("pictures", "--from=" + dir.resolve("from"), "--to=" + to, "--count=20"))
                .isZero();
        assertThat(to.resolve("00000.jpg")).hasBinaryContent(first);
    }

    @Test
    void balance_dividesTheStages() throws IOException {
        assertThat(stages("balance")).isZero();
        assertThat(runsWith("\"contender\": \"cohort-2-replicas\"")).isEqualTo(1);
        assertThat(runsWith("\"contender\": \"cohort-partitions\"")).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "nothing",
                "search --contender nobody",
                "search --clients 0",
                "search --load 1",
                "search --seconds 0",
                "balance --rounds 0",
                "image --clients 0",
                "pictures",
                "pictures --from /nowhere --to /tmp",
                "pictures --from . --to /tmp --count 0"
            })
    void stages_refuseNonsense(String args) {
        assertThat(StagesCommand.execute(args.isEmpty() ? new String[0] : args.split(" ")))
                .isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--rounds 0",
                "--warm-rounds -1",
                "--tries 0",
                "--stage-us 0",
                "--controller nobody",
                "--load 0",
                "--target-ms 0",
                "--cores 0",
                "--warm-seconds -1",
                "--seconds 0"
            })
    void admission_refuses(String args) {
        assertThat(AdmissionCommand.execute(args.split(" ", -1))).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"--rounds 0", "--goal-ms 0", "--cores 0", "--low 0", "--high 0", "--seconds 1"})
    void demand_refuses(String args) {
        assertThat(DemandCommand.execute(args.split(" ", -1))).isEqualTo(2);
    }
}
