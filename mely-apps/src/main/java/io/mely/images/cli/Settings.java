// SPDX-License-Identifier: Apache-2.0
package io.mely.images.cli;

import io.mely.cli.CommonSettings;
import io.mely.cli.Setting;
import io.mely.cli.SettingTable;
import io.mely.cli.ValueTypes;
import io.mely.images.Version;
import io.mely.images.picture.PictureFormat;
import io.mely.sws.cli.HttpSettings;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** All settings of the image server, in the order of the reference. */
final class Settings {
    private static final int VERSIONS_MAX = 20;

    static final Setting<Path> ROOT = new Setting<>(
            "root",
            true,
            ValueTypes.path(),
            "path, relative to the current folder",
            Path.of("."),
            "The folder of the results, which are in its folders images and .images. Made if it is not there.");

    static final Setting<Long> STORE_MAX = new Setting<>(
            "store-max",
            true,
            ValueTypes.size(1, 1L << 50),
            "size",
            1L << 30,
            "Most that finished pictures take on the disk, in blocks of 4 KiB. Beyond it the oldest are removed.");

    static final Setting<Integer> DISK_THREADS = new Setting<>(
            "disk-threads",
            false,
            ValueTypes.count(1, 64),
            "threads",
            2,
            "Threads that write results to the disk, beside the cores.");

    static final Setting<Boolean> DEMO = new Setting<>(
            "demo",
            true,
            ValueTypes.yesOrNo(),
            "true or false",
            false,
            "Draws some pictures, uploads and lists them, in a folder for temporary files: to see what it is like.");

    static final Setting<List<Version>> VERSIONS = new Setting<>(
            "versions",
            false,
            ValueTypes.lines("up to 20 of NAME SIDE or NAME SIDE BLUR, each name once", Settings::versions),
            "pixels",
            List.of(
                    new Version("large", 1_600, 0),
                    new Version("medium", 640, 0),
                    new Version("small", 160, 0),
                    new Version("blurred", 640, 8)),
            "What is made of each picture: a name, the longer side in pixels (1 to 16383), and the radius of a blur. A smaller picture keeps its size.");

    static final Setting<List<String>> FORMATS = new Setting<>(
            "formats",
            false,
            ValueTypes.list("one or more of jpg, png and webp", format -> PictureFormat.ofExtension(format) != null),
            "words",
            List.of("jpg", "png", "webp"),
            "Formats of each version. Where there is no encoder for webp (all but x86-64) it is left out.");

    static final Setting<Integer> QUALITY = new Setting<>(
            "quality",
            false,
            ValueTypes.count(1, 100),
            "percent",
            85,
            "Quality of jpg and webp. More takes more bytes.");

    static final Setting<Boolean> LIST = new Setting<>(
            "list",
            true,
            ValueTypes.yesOrNo(),
            "true or false",
            false,
            "Shows everybody the newest pictures. Without it a picture is seen by who knows its address, which cannot be guessed.");

    static final Setting<Long> UPLOAD_MAX = new Setting<>(
            "upload-max",
            true,
            ValueTypes.size(1, 1L << 30),
            "size",
            32L << 20,
            "Longest body of a request. A longer one is answered 413. All bodies together have a sixth of the heap.");

    static final Setting<Long> FILE_MAX = new Setting<>(
            "file-max", false, ValueTypes.size(1, 1L << 30), "size", 20L << 20, "Longest file in a request; then 413.");

    static final Setting<Integer> FILES_MAX = new Setting<>(
            "files-max",
            false,
            ValueTypes.count(1, 1_000),
            "files",
            20,
            "Most files and other fields in a request; then 413.");

    static final Setting<Integer> PIXELS_MAX = new Setting<>(
            "pixels-max",
            false,
            ValueTypes.count(1, 500_000_000),
            "pixels",
            50_000_000,
            "Most pixels of a picture, by its head; then 413. Pictures in work have a third of the heap, and a pixel takes four bytes or more.");

    static final Setting<Integer> SIDE_MAX = new Setting<>(
            "side-max",
            false,
            ValueTypes.count(1, 65_535),
            "pixels",
            20_000,
            "Most pixels of a picture's width and of its height; then 413.");

    static final Setting<Integer> PORT = CommonSettings.port(8_082);

    /** All of them. */
    static final SettingTable TABLE = new SettingTable(
            "images",
            List.of(
                    ROOT,
                    STORE_MAX,
                    DISK_THREADS,
                    DEMO,
                    VERSIONS,
                    FORMATS,
                    QUALITY,
                    LIST,
                    UPLOAD_MAX,
                    FILE_MAX,
                    FILES_MAX,
                    PIXELS_MAX,
                    SIDE_MAX,
                    PORT,
                    CommonSettings.BIND,
                    CommonSettings.ADMIN,
                    HttpSettings.CORES,
                    CommonSettings.STAGES,
                    HttpSettings.MAX_CLIENTS,
                    HttpSettings.CLIENT_RATE,
                    HttpSettings.DRAIN_DEADLINE,
                    CommonSettings.STATS));

    private Settings() {}

    private static @Nullable List<Version> versions(List<String> lines) {
        Map<String, Version> versions = new LinkedHashMap<>();
        for (String line : lines) {
            Version version = Version.parse(line);
            if (version == null || versions.put(version.name(), version) != null) {
                return null;
            }
        }
        return versions.isEmpty() || versions.size() > VERSIONS_MAX ? null : List.copyOf(versions.values());
    }
}
