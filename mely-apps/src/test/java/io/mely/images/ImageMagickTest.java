// SPDX-License-Identifier: Apache-2.0
package io.mely.images;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.typesafe.config.Config;
import io.mely.images.picture.PictureFormat;
import io.mely.images.picture.TestPictures;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

// Each file that the server makes of a picture, read by ImageMagick, beside the same version made by ImageMagick.
@Timeout(180)
class ImageMagickTest extends ImagesHarness {
    /** Decibels from which on two pictures look alike. */
    private static final double ALIKE = 30;

    private static String program;

    @BeforeAll
    static void findProgram() throws Exception {
        for (String name : new String[] {"magick", "convert"}) {
            if (program == null && version(name).contains("ImageMagick")) {
                program = name;
            }
        }
        assumeTrue(program != null, "ImageMagick is not installed (Debian: imagemagick)");
    }

    private static String version(String name) throws InterruptedException {
        try {
            Process process = new ProcessBuilder(name, "-version")
                    .redirectErrorStream(true)
                    .start();
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return process.waitFor() == 0 ? said : "";
        } catch (IOException notThere) {
            return "";
        }
    }

    private static BufferedImage convert(Path file, String... options) throws Exception {
        List<String> command = new ArrayList<>(List.of(program, file.toString()));
        command.addAll(List.of(options));
        command.add("png:-");
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        byte[] png = process.getInputStream().readAllBytes();
        assertThat(process.waitFor()).as(String.join(" ", command)).isZero();
        return ImageIO.read(new ByteArrayInputStream(png));
    }

    @ParameterizedTest(name = "{0}, orientation {1}")
    @CsvSource({"PNG, 1", "WEBP, 1", "JPEG, 8"})
    void versions_areThoseOfImageMagick(PictureFormat format, int orientation) throws Exception {
        byte[] picture = TestPictures.file(TestPictures.photo(800, 600, 9), format);
        byte[] sent = format == PictureFormat.JPEG ? TestPictures.withExif(picture, orientation) : picture;
        Path original = Files.write(temp.resolve("sent." + format.extension()), sent);
        start();
        Config status = finished(id(sent));
        List<? extends Config> files = status.getConfigList("ready");
        assertThat(files).hasSize(RECIPE.files());
        for (Version version : RECIPE.versions()) {
            String size = version.side() + "x" + version.side() + ">";
            String square = (2 * version.blur() + 1) + "x" + (2 * version.blur() + 1);
            BufferedImage expected = version.blur() == 0
                    ? convert(original, "-auto-orient", "-resize", size)
                    : convert(original, "-auto-orient", "-resize", size, "-statistic", "Mean", square);
            for (Config file : files) {
                if (file.getString("version").equals(version.name())) {
                    String address = file.getString("address");
                    Path made = Files.write(
                            temp.resolve(address.substring(address.lastIndexOf('/') + 1)),
                            get(address).body());
                    assertThat(TestPictures.psnr(convert(made), expected))
                            .as(address)
                            .isGreaterThan(ALIKE);
                }
            }
        }
    }
}
