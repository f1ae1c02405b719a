// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.cli;

import io.mely.deploy.Nearest;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads the command line's words. Their values are read by {@link Settings}, as those of the environment and of files are.
 *
 * <p>By hand: picocli took 130 of the 560 ms until the server was ready (JDK 17, archived classes).
 *
 * <p><b>Threads.</b> Any.
 *
 * @param values of the flags given
 * @param configFile the file of {@code --config}; null without
 * @param isRehearsal whether {@code --rehearse} was given
 * @param isHelp whether {@code --help} was given
 * @param isVersion whether {@code --version} was given
 */
record Flags(Values values, @Nullable String configFile, boolean isRehearsal, boolean isHelp, boolean isVersion) {
    private static final String CONFIG = "--config";
    static final String REHEARSE = "--rehearse";
    private static final String VERSION = "--version";
    private static final String HELP = "--help";
    private static final String SEE_HELP = " (see --help)";

    /** Flags without a value. */
    private static final Set<String> PLAIN = Set.of(Settings.STATS.flag(), REHEARSE, VERSION, HELP);

    private static final String TEXT = """
            Usage: java -jar sws.jar [DIR] [--root DIR] [--port N] [--bind ADDR]
                     [--cores N|auto] [--stealing off|base|mely] [--max-clients N]
                     [--config FILE] [--stats] [--rehearse] [--version] [--help|-h]

            Serves the files of a folder over HTTP.

                  [DIR]             Folder to serve. Default: the current folder.
                  --root DIR        The same, as a flag.
                  --port N          TCP port to listen on; 0 lets the system choose.
                                      Default: 8080.
                  --bind ADDR       Address to listen on. Default: 127.0.0.1.
                  --cores N|auto    Number of cores, 1 to 1024. Default: auto, what this
                                      machine allows.
                  --stealing off|base|mely
                                    What an idle core takes from others. Default: mely.
                  --max-clients N   Most clients served at once. Default: 10000.
                  --config FILE     Configuration file; config/sws.conf in the sources
                                      explains every key.
                  --stats           Print statistics at exit, to standard error.
                  --rehearse        Start on a free port, answer one request of its own,
                                      and exit: checks the configuration, and makes an
                                      archive of classes for a quicker start.
                  --version         Print the version and exit.
                  --help            Print this text and exit.

            Flags win over environment variables (SWS_PORT, SWS_ROOT, SWS_MAX_CLIENTS, ...),
            which win over the file of --config or SWS_CONFIG.

            SIGTERM and SIGINT stop it when running responses are through; a second one
            stops it at once. Exit codes: 0 stopped, 1 could not start, 2 wrong usage.
            """;

    /**
     * Reads the words.
     *
     * @param args as given to {@code main}
     * @return the flags
     * @throws UsageException when a flag is unknown, repeated, or lacks its value, or a value isn't allowed
     */
    static Flags parse(String... args) throws UsageException {
        Words words = Words.of(args);
        boolean isHelp = words.given.containsKey(HELP);
        boolean isVersion = words.given.containsKey(VERSION);
        if (isHelp || isVersion) {
            return new Flags(new Values(), null, false, isHelp, isVersion);
        }
        Values values = new Values();
        List<String> problems = new ArrayList<>();
        for (Setting<?> setting : Settings.ALL) {
            String text = setting.isFlag() ? words.given.get(setting.flag()) : null;
            if (text != null) {
                add(problems, values.read(setting, text, Source.flag(setting.flag())));
            }
        }
        parseFolder(words.folder, values, problems);
        if (!problems.isEmpty()) {
            throw new UsageException(problems);
        }
        return new Flags(values, words.given.get(CONFIG), words.given.containsKey(REHEARSE), false, false);
    }

    private static void parseFolder(@Nullable String folder, Values values, List<String> problems) {
        if (folder == null) {
            return;
        }
        Values positional = new Values();
        String problem = positional.read(Settings.ROOT, folder, Source.argument());
        if (problem != null) {
            problems.add(problem);
        } else if (values.isGiven(Settings.ROOT) && !isSame(values.get(Settings.ROOT), positional.get(Settings.ROOT))) {
            problems.add("two folders: " + values.describe(Settings.ROOT) + " and " + positional.describe(Settings.ROOT)
                    + SEE_HELP);
        } else {
            values.putAll(positional);
        }
    }

    private static boolean isSame(java.nio.file.Path left, java.nio.file.Path right) {
        return left.toAbsolutePath().normalize().equals(right.toAbsolutePath().normalize());
    }

    /**
     * The text of {@code --help}.
     *
     * @return lines of at most 80 columns
     */
    static String help() {
        return TEXT;
    }

    private static void add(List<String> problems, @Nullable String problem) {
        if (problem != null) {
            problems.add(problem);
        }
    }

    /**
     * The words, sorted into flags and the folder.
     *
     * @param given text of each flag, {@code "true"} for one without a value
     * @param folder null if there is none
     */
    private record Words(
            Map<String, String> given, @Nullable String folder) {
        static Words of(String... args) throws UsageException {
            Set<String> known = known();
            Map<String, String> given = new LinkedHashMap<>();
            String folder = null;
            boolean isFolderNext = false; // behind "--"
            for (int i = 0; i < args.length; i++) {
                String word = args[i];
                if (isFolderNext || !word.startsWith("-") || word.equals("-")) {
                    if (folder != null) {
                        throw wrong("unexpected argument " + Text.quote(word));
                    }
                    folder = word;
                } else if (word.equals("--")) {
                    isFolderNext = true;
                } else {
                    int equals = word.indexOf('=');
                    String flag = word.equals("-h") ? HELP : nameOf(word);
                    if (!known.contains(flag)) {
                        throw wrong("unknown option " + Text.quote(flag) + "; the nearest known option is "
                                + Nearest.to(flag, List.copyOf(known)));
                    }
                    String text = equals < 0 ? null : word.substring(equals + 1);
                    if (PLAIN.contains(flag)) {
                        if (text != null) {
                            throw wrong(flag + " takes no value: " + Text.escape(word));
                        }
                        text = "true";
                    } else if (text == null) {
                        i++;
                        if (i == args.length || args[i].equals("--") || known.contains(nameOf(args[i]))) {
                            throw wrong(flag + " needs a value");
                        }
                        text = args[i];
                    }
                    if (given.put(flag, text) != null) {
                        throw wrong(flag + " is given twice");
                    }
                }
            }
            return new Words(given, folder);
        }

        private static Set<String> known() {
            Set<String> known = new LinkedHashSet<>();
            for (Setting<?> setting : Settings.ALL) {
                if (setting.isFlag()) {
                    known.add(setting.flag());
                }
            }
            known.addAll(List.of(CONFIG, REHEARSE, VERSION, HELP));
            return known;
        }

        /** Of {@code --port=80}: {@code --port}. */
        private static String nameOf(String word) {
            int equals = word.indexOf('=');
            return equals < 0 ? word : word.substring(0, equals);
        }

        private static UsageException wrong(String problem) {
            return new UsageException(problem + SEE_HELP);
        }
    }
}
