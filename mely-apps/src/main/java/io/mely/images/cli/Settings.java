// SPDX-License-Identifier: Apache-2.0
package io.mely.images.cli;

import io.mely.cli.CommonSettings;
import io.mely.cli.Setting;
import io.mely.cli.SettingList;
import io.mely.cli.SettingTable;
import io.mely.cli.ValueTypes;
import io.mely.images.Version;
import io.mely.images.picture.PictureFormat;
import io.mely.sws.SwsSettings;
import java.nio.file.Path;
import java.util.List;

/** All settings of the image server, in the order of the reference. */
final class Settings {
    private static final int VERSIONS_MAX = 20;
    private static final SettingList ALL = new SettingList();

    static final Setting<Path> ROOT = ALL.of("root", "path, relative to the current folder", ValueTypes.path())
            .asFlag()
            .byDefault(Path.of("."))
            .says("The folder of the results, which are in its folders images and .images. Made if it is not there.");

    static final Setting<Long> STORE_MAX = ALL.size("store-max", 1, 1L << 50)
            .asFlag()
            .byDefault(1L << 30)
            .says(
                    "Most that finished pictures take on the disk, in blocks of 4 KiB. Beyond it the oldest are removed.");

    static final Setting<Integer> DISK_THREADS = ALL.count("disk-threads", "threads", 1, 64)
            .byDefault(2)
            .says("Threads that write results to the disk, beside the cores.");

    static final Setting<Boolean> DEMO = ALL.yesOrNo("demo")
            .asFlag()
            .byDefault(false)
            .says(
                    "Draws some pictures, uploads and lists them, in a folder for temporary files: to see what it is like.");

    static final Setting<List<Version>> VERSIONS = ALL.of(
                    "versions",
                    "pixels",
                    ValueTypes.lines(
                            "up to 20 of NAME SIDE or NAME SIDE BLUR, each name once",
                            Version::parse,
                            versions -> !versions.isEmpty()
                                    && versions.size() <= VERSIONS_MAX
                                    && ValueTypes.areDistinct(versions, Version::name)))
            .byDefault(List.of(
                    new Version("large", 1_600, 0),
                    new Version("medium", 640, 0),
                    new Version("small", 160, 0),
                    new Version("blurred", 640, 8)))
            .says(
                    "What is made of each picture: a name, the longer side in pixels (1 to 16383), and the radius of a blur. A smaller picture keeps its size.");

    static final Setting<List<String>> FORMATS = ALL.of(
                    "formats",
                    "words",
                    ValueTypes.list(
                            "one or more of jpg, png and webp", format -> PictureFormat.ofExtension(format) != null))
            .byDefault(List.of("jpg", "png", "webp"))
            .says("Formats of each version. Where there is no encoder for webp (all but x86-64) it is left out.");

    static final Setting<Integer> QUALITY = ALL.count("quality", "percent", 1, 100)
            .byDefault(85)
            .says("Quality of jpg and webp. More takes more bytes.");

    static final Setting<Boolean> LIST = ALL.yesOrNo("list")
            .asFlag()
            .byDefault(false)
            .says(
                    "Shows everybody the newest pictures. Without it a picture is seen by who knows its address, which cannot be guessed.");

    static final Setting<Long> UPLOAD_MAX = ALL.size("upload-max", 1, 1L << 30)
            .asFlag()
            .byDefault(32L << 20)
            .says(
                    "Longest body of a request. A longer one is answered 413. All bodies together have a sixth of the heap.");

    static final Setting<Long> FILE_MAX =
            ALL.size("file-max", 1, 1L << 30).byDefault(20L << 20).says("Longest file in a request; then 413.");

    static final Setting<Integer> FILES_MAX = ALL.count("files-max", "files", 1, 1_000)
            .byDefault(20)
            .says("Most files and other fields in a request; then 413.");

    static final Setting<Integer> PIXELS_MAX = ALL.count("pixels-max", "pixels", 1, 500_000_000)
            .byDefault(50_000_000)
            .says(
                    "Most pixels of a picture, by its head; then 413. Pictures in work have a third of the heap, and a pixel takes four bytes or more.");

    static final Setting<Integer> SIDE_MAX = ALL.count("side-max", "pixels", 1, 65_535)
            .byDefault(20_000)
            .says("Most pixels of a picture's width and of its height; then 413.");

    static final Setting<Integer> PORT = ALL.add(CommonSettings.port(8_082));

    /** All of them. */
    static final SettingTable TABLE = new SettingTable(
            "images",
            ALL.and(
                    CommonSettings.BIND,
                    CommonSettings.ADMIN,
                    SwsSettings.CORES,
                    CommonSettings.STAGES,
                    SwsSettings.MAX_CLIENTS,
                    SwsSettings.CLIENT_RATE,
                    SwsSettings.DRAIN_DEADLINE,
                    CommonSettings.STATS));

    private Settings() {}
}
