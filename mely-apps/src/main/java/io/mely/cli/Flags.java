// SPDX-License-Identifier: Apache-2.0
package io.mely.cli;

import io.mely.deploy.Nearest;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads the command line's words. Their values are read by their {@link Setting}, as those of the environment and of files are.
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

    /**
     * Reads the words.
     *
     * @param program whose command line it is
     * @param args as given to {@code main}
     * @return the flags
     * @throws UsageException when a flag is unknown, repeated, or lacks its value, or a value isn't allowed
     */
    static Flags parse(Program program, String... args) throws UsageException {
        Words words = Words.of(program, args);
        boolean isHelp = words.given.containsKey(HELP);
        boolean isVersion = words.given.containsKey(VERSION);
        if (isHelp || isVersion) {
            return new Flags(new Values(), null, false, isHelp, isVersion);
        }
        Values values = new Values();
        List<String> problems = new ArrayList<>();
        for (Setting<?> setting : program.usage().settings().all()) {
            String text = setting.isFlag() ? words.given.get(setting.flag()) : null;
            if (text != null) {
                add(problems, values.read(setting, text, Source.flag(setting.flag())));
            }
        }
        parseFolder(program.usage().folder(), words.folder, values, problems);
        if (!problems.isEmpty()) {
            throw new UsageException(problems);
        }
        return new Flags(values, words.given.get(CONFIG), words.given.containsKey(REHEARSE), false, false);
    }

    private static void parseFolder(
            Setting<Path> setting, @Nullable String folder, Values values, List<String> problems) {
        if (folder == null) {
            return;
        }
        Values positional = new Values();
        String problem = positional.read(setting, folder, Source.argument());
        if (problem != null) {
            problems.add(problem);
        } else if (values.isGiven(setting) && !isSame(values.get(setting), positional.get(setting))) {
            problems.add(
                    "two folders: " + values.describe(setting) + " and " + positional.describe(setting) + SEE_HELP);
        } else {
            values.putAll(positional);
        }
    }

    private static boolean isSame(Path left, Path right) {
        return left.toAbsolutePath().normalize().equals(right.toAbsolutePath().normalize());
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
        static Words of(Program program, String... args) throws UsageException {
            Set<String> known = known(program);
            Set<String> plain = new LinkedHashSet<>(List.of(REHEARSE, VERSION, HELP));
            program.usage().switches().forEach(each -> plain.add(each.flag()));
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
                    if (plain.contains(flag)) {
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

        private static Set<String> known(Program program) {
            Set<String> known = new LinkedHashSet<>();
            for (Setting<?> setting : program.usage().settings().all()) {
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
