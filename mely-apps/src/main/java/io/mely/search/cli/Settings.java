// SPDX-License-Identifier: Apache-2.0
package io.mely.search.cli;

import io.mely.cli.CommonSettings;
import io.mely.cli.Setting;
import io.mely.cli.SettingTable;
import io.mely.cli.ValueTypes;
import io.mely.sws.SwsConfig;
import io.mely.sws.cli.HttpSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** All settings of the search server, in the order of the reference. */
final class Settings {

    static final Setting<Path> ROOT = new Setting<>(
            "root",
            true,
            ValueTypes.path(),
            "path, relative to the current folder",
            Path.of("."),
            "What is searched: a folder of HTML, Markdown and text files, or the .index file of a dictionary in dictd's format.");

    static final Setting<Path> INDEX = new Setting<>(
            "index",
            true,
            ValueTypes.path(),
            "path, relative to the current folder",
            Path.of(".search"),
            "The folder of the index. If it has none, one is made of the root first.");

    static final Setting<Boolean> REINDEX = new Setting<>(
            "reindex",
            true,
            ValueTypes.yesOrNo(),
            "true or false",
            false,
            "Makes a new index of the root before the server starts, also if there is one.");

    static final Setting<Boolean> DEMO = new Setting<>(
            "demo",
            true,
            ValueTypes.yesOrNo(),
            "true or false",
            false,
            "Searches some thousand made-up pages, in a folder for temporary files: to see what it is like.");

    static final Setting<Boolean> SITE = new Setting<>(
            "site",
            false,
            ValueTypes.yesOrNo(),
            "true or false",
            true,
            "Serves the files of the root, too, if it is a folder. Without it / is the search page.");

    static final Setting<Integer> PORT = CommonSettings.port(8_081);

    static final Setting<Long> CACHE = new Setting<>(
            "cache",
            false,
            ValueTypes.size(0, 1L << 40),
            "size",
            32L << 20,
            "Memory for answers of queries with several words. 0 turns the cache off.");

    static final Setting<Duration> RELOAD = new Setting<>(
            "reload",
            false,
            ValueTypes.time(Duration.ZERO, SwsConfig.Builder.TIME_MAX),
            "time",
            Duration.ofSeconds(10),
            "Time between two looks for a new index, which is used at once. 0 s: never.");

    /** All of them. */
    static final SettingTable TABLE = new SettingTable(
            "search",
            List.of(
                    ROOT,
                    INDEX,
                    REINDEX,
                    DEMO,
                    SITE,
                    PORT,
                    CommonSettings.BIND,
                    CommonSettings.ADMIN,
                    HttpSettings.CORES,
                    CommonSettings.STAGES,
                    HttpSettings.MAX_CLIENTS,
                    HttpSettings.CLIENT_RATE,
                    CACHE,
                    RELOAD,
                    HttpSettings.DRAIN_DEADLINE,
                    CommonSettings.STATS));

    private Settings() {}
}
