// SPDX-License-Identifier: Apache-2.0
package io.mely.images.picture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.drew.imaging.ImageMetadataReader;
import com.drew.metadata.Directory;
import com.drew.metadata.Metadata;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

// Files are what was drawn, and say nothing else.
class PictureWriterTest {
    @TempDir
    Path temp;

    @ParameterizedTest
    @EnumSource(PictureFormat.class)
    void write_hasNoMetadata(PictureFormat format) throws Exception {
        byte[] file = PictureWriter.write(TestPictures.photo(50, 40, 1), format, 0.8f);
        Metadata metadata = ImageMetadataReader.readMetadata(new ByteArrayInputStream(file));
        Set<String> kinds = StreamSupport.stream(metadata.getDirectories().spliterator(), false)
                .map(Directory::getName)
                .collect(Collectors.toSet());
        assertThat(kinds).isSubsetOf("JPEG", "JFIF", "Huffman", "PNG-IHDR", "WebP", "File Type");
    }

    @Test
    void transparency_isKept_orBecomesWhite() throws PictureException {
        BufferedImage image = new BufferedImage(40, 40, BufferedImage.TYPE_INT_ARGB_PRE);
        for (int y = 0; y < 40; y++) {
            for (int x = 0; x < 20; x++) {
                image.setRGB(x, y, 0xff2040c0);
            }
        }
        for (PictureFormat format : PictureFormat.values()) {
            byte[] file = PictureWriter.write(image, format, 0.95f);
            try (PictureReader reader = PictureReader.open(file, new PictureLimits(2_000, 100))) {
                BufferedImage read = reader.read();
                boolean isJpeg = format == PictureFormat.JPEG;
                assertThat(read.getRGB(35, 20) >>> 24).as(format.name()).isEqualTo(isJpeg ? 255 : 0);
                assertThat(read.getRGB(5, 20) & 0xff).as(format.name()).isBetween(0xb8, 0xc8);
                if (isJpeg) {
                    assertThat(read.getRGB(35, 20) & 0xff).isGreaterThan(250);
                }
            }
        }
    }

    @Test
    void quality_makesJpegAndWebpLarger() {
        BufferedImage photo = TestPictures.photo(200, 150, 1);
        for (PictureFormat format : Set.of(PictureFormat.JPEG, PictureFormat.WEBP)) {
            assertThat(PictureWriter.write(photo, format, 0.95f))
                    .hasSizeGreaterThan(PictureWriter.write(photo, format, 0.3f).length);
        }
    }

    // A process that is killed leaves no file of it: what is loaded has none any more.
    @Test
    @EnabledOnOs(OS.LINUX)
    void webp_libraryHasNoFile() throws IOException {
        assumeThat(PictureWriter.isWebpWritten()).isTrue();
        assertThat(Files.readAllLines(Path.of("/proc/self/maps"), StandardCharsets.ISO_8859_1))
                .filteredOn(line -> line.contains("libwebp-imageio.so"))
                .isNotEmpty()
                .allMatch(line -> line.endsWith("libwebp-imageio.so (deleted)"));
    }

    @Test
    void libraryFile_isDeleted_andNoOther() throws IOException {
        Path loaded = Files.createFile(temp.resolve("17libwebp-imageio.so"));
        Path ofAnotherProcess = Files.createFile(temp.resolve("18libwebp-imageio.so"));
        String range = "7f0000000000-7f0000001000 r-xp 00000000 08:01 17                         ";
        Path maps = Files.writeString(
                temp.resolve("maps"),
                range + loaded + "\n" + range + loaded + "\n" + range + "/usr/lib/libc.so.6\n" + range
                        + ofAnotherProcess + " (deleted)\n");
        WebpLibrary.deleteFile(maps, temp);
        assertThat(loaded).doesNotExist();
        assertThat(ofAnotherProcess).exists();
        WebpLibrary.deleteFile(maps, temp); // by the exit, or somebody who cleans up
        WebpLibrary.deleteFile(temp.resolve("none"), temp);
    }

    @Test
    void webp_isWrittenHere() {
        assertThat(PictureWriter.isWebpWritten())
                .isEqualTo(System.getProperty("os.arch").equals("amd64"));
    }
}
