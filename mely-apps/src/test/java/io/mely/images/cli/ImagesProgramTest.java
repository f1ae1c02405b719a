// SPDX-License-Identifier: Apache-2.0
package io.mely.images.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.mely.cli.Command;
import io.mely.cli.Reference;
import io.mely.cli.Setting;
import io.mely.cli.StopSignals;
import io.mely.images.Version;
import io.mely.images.picture.PictureFormat;
import io.mely.images.picture.PictureLimits;
import io.mely.images.picture.PictureReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** After a change of {@link Settings}: {@code mvn test -Dtest=ImagesProgramTest -Dmely.reference.write=true} writes the sample anew. */
@Timeout(120)
class ImagesProgramTest {
    private static final Path SAMPLE = Path.of("..", "config", "images.conf");
    private static final Map<Setting<?>, String> HEADINGS = Map.of(
            Settings.ROOT, "The results",
            Settings.VERSIONS, "What is made",
            Settings.UPLOAD_MAX, "Limits of a request",
            Settings.PORT, "The server");

    @TempDir
    Path temp;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private int run(String... args) {
        return new Command(
                        new ImagesProgram(),
                        Map.of(),
                        new PrintStream(out, true, UTF_8),
                        new PrintStream(err, true, UTF_8),
                        StopSignals.manual())
                .run(args);
    }

    private int rehearse(String... more) {
        return run(Stream.concat(Stream.of("--rehearse"), Stream.of(more)).toArray(String[]::new));
    }

    private String config(String text) throws IOException {
        Path file = temp.resolve("images.conf");
        Files.writeString(file, text);
        return file.toString();
    }

    @Test
    void folder_isMadeAndUsed() {
        Path results = temp.resolve("a/results");
        assertThat(rehearse(results.toString(), "--stats"))
                .as(err.toString(UTF_8))
                .isZero();
        assertThat(out.toString(UTF_8))
                .startsWith("images listening on http://127.0.0.1:")
                .contains("0 pictures");
        assertThat(err.toString(UTF_8)).contains("images statistics").contains("pictureBytes");
        assertThat(results.resolve("images")).isEmptyDirectory();
    }

    @Test
    void demo_drawsAndUploads() {
        assertThat(run("--demo", "--rehearse", "--stats"))
                .as(err.toString(UTF_8))
                .isZero();
        assertThat(err.toString(UTF_8)).containsPattern("pictures +6\n");
    }

    @Test
    void demoPictures_areOfManyColors() throws Exception {
        List<byte[]> pictures = Demo.pictures();
        assertThat(pictures).hasSize(6);
        for (byte[] file : pictures) {
            try (PictureReader reader = PictureReader.open(file, new PictureLimits(10_000_000, 5_000))) {
                assertThat(reader.format()).isEqualTo(PictureFormat.JPEG);
                assertThat(reader.width()).isEqualTo(2_000);
            }
        }
    }

    @Test
    void settings_areReadFromAFile() throws IOException {
        String file =
                config("versions = [\"tiny 10\", \"soft 20 3\"], formats = [jpg], quality = 50, store-max = 5 MiB");
        assertThat(rehearse(temp.resolve("r").toString(), "--config", file))
                .as(err.toString(UTF_8))
                .isZero();
    }

    @Test
    void mistakes_areExplained() throws IOException {
        assertThat(run("--prot", "1")).isEqualTo(2);
        assertThat(rehearse("--config", config("qualty = 5"))).isEqualTo(2);
        assertThat(rehearse("--config", config("quality = 101"))).isEqualTo(2);
        Path stages = temp.resolve("stages.conf");
        Files.writeString(stages, "stages { Decodr { group = main } }");
        assertThat(rehearse("--root", temp.resolve("r").toString(), "--stages", stages.toString()))
                .isEqualTo(2);
        Files.writeString(temp.resolve("file"), "no folder");
        assertThat(rehearse(temp.resolve("file").toString())).isEqualTo(1);
        assertThat(err.toString(UTF_8))
                .contains("images: unknown option '--prot'; the nearest known option is --port")
                .contains("qualty")
                .contains("nearest")
                .contains("1 to 100")
                .contains("Decodr: unknown stage; the nearest is Decoder");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "versions = []",
                "versions = [\"Large 10\"]",
                "versions = [\"a 0\"]",
                "versions = [\"a 16384\"]",
                "versions = [\"a 10\", \"a 20\"]",
                "versions = [\"../a 10\"]",
                "formats = []",
                "formats = [gif]",
                "pixels-max = 0",
                "store-max = 0"
            })
    void wrongValues_areRefused(String text) throws IOException {
        assertThat(rehearse(temp.resolve("r").toString(), "--config", config(text)))
                .isEqualTo(2);
        assertThat(temp.resolve("r")).doesNotExist();
        assertThat(err.toString(UTF_8)).contains(text.substring(0, text.indexOf(' ')));
    }

    @Test
    void versions_areReadAsTheyAreWritten() {
        for (String text : List.of("large 1600", "blurred 640 8")) {
            assertThat(Version.parse(text)).hasToString(text);
        }
        assertThat(Version.parse("a  5   2 ")).isEqualTo(new Version("a", 5, 2));
    }

    @Test
    void stages_runUnderOtherPolicies() throws IOException {
        Path stages = temp.resolve("stages.conf");
        Files.writeString(
                stages,
                "groups { seda { policy = pool-per-stage, threads = 2 }, disk { policy = pool-shared, threads = 1 } }\n"
                        + "stages { Decoder { group = seda }, Encoder { group = seda }, DiskWriter { group = disk } }");
        assertThat(rehearse(temp.resolve("r").toString(), "--stages", stages.toString()))
                .as(err.toString(UTF_8))
                .isZero();
    }

    @Test
    void sample_isUpToDate() throws IOException {
        Reference.checkFile(SAMPLE, Settings.TABLE, "the image server", HEADINGS);
    }

    @Test
    void help_namesAllFlags_inEightyColumns() {
        assertThat(run("--help")).isZero();
        Reference.checkHelp(out.toString(UTF_8), Settings.TABLE);
    }
}
