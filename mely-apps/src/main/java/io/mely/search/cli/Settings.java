// SPDX-License-Identifier: Apache-2.0
package io.mely.search.cli;

import io.mely.cli.CommonSettings;
import io.mely.cli.Setting;
import io.mely.cli.SettingList;
import io.mely.cli.SettingTable;
import io.mely.cli.ValueTypes;
import io.mely.sws.SwsSettings;
import java.nio.file.Path;
import java.time.Duration;

/** All settings of the search server, in the order of the reference. */
final class Settings {
    private static final SettingList ALL = new SettingList();

    static final Setting<Path> ROOT = ALL.of("root", "path, relative to the current folder", ValueTypes.path())
            .asFlag()
            .byDefault(Path.of("."))
            .says(
                    "What is searched: a folder of HTML, Markdown and text files, or the .index file of a dictionary in dictd's format.");

    static final Setting<Path> INDEX = ALL.of("index", "path, relative to the current folder", ValueTypes.path())
            .asFlag()
            .byDefault(Path.of(".search"))
            .says("The folder of the index. If it has none, one is made of the root first.");

    static final Setting<Boolean> REINDEX = ALL.yesOrNo("reindex")
            .asFlag()
            .byDefault(false)
            .says("Makes a new index of the root before the server starts, also if there is one.");

    static final Setting<Boolean> DEMO = ALL.yesOrNo("demo")
            .asFlag()
            .byDefault(false)
            .says("Searches some thousand made-up pages, in a folder for temporary files: to see what it is like.");

    static final Setting<Boolean> SITE = ALL.yesOrNo("site")
            .byDefault(true)
            .says("Serves the files of the root, too, if it is a folder. Without it / is the search page.");

    static final Setting<Integer> PORT = ALL.add(CommonSettings.port(8_081));

    static final Setting<String> BIND = ALL.add(CommonSettings.BIND);

    static final Setting<String> ADMIN = ALL.add(CommonSettings.ADMIN);

    static final Setting<Integer> CORES = ALL.add(SwsSettings.CORES);

    static final Setting<String> STAGES = ALL.add(CommonSettings.STAGES);

    static final Setting<Integer> MAX_CLIENTS = ALL.add(SwsSettings.MAX_CLIENTS);

    static final Setting<Integer> CLIENT_RATE = ALL.add(SwsSettings.CLIENT_RATE);

    static final Setting<Long> CACHE = ALL.size("cache", 0, 1L << 40)
            .byDefault(32L << 20)
            .says("Memory for answers of queries with several words. 0 turns the cache off.");

    static final Setting<Duration> RELOAD = ALL.time("reload", Duration.ZERO, SwsSettings.TIME_MAX)
            .byDefault(Duration.ofSeconds(10))
            .says("Time between two looks for a new index, which is used at once. 0 s: never.");

    /** All of them. */
    static final SettingTable TABLE =
            new SettingTable("search", ALL.and(SwsSettings.DRAIN_DEADLINE, CommonSettings.STATS));

    private Settings() {}
}
