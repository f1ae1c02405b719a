// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.cli;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.OverwrittenOptionException;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * Reads the command line's words. Their values are read by {@link Settings}, as those of the environment and of files are.
 *
 * <p><b>Threads.</b> Any.
 *
 * @param values of the flags given
 * @param configFile the file of {@code --config}; null without
 * @param isHelp whether {@code --help} was given
 * @param isVersion whether {@code --version} was given
 */
record Flags(Values values, @Nullable String configFile, boolean isHelp, boolean isVersion) {
    private static final String CONFIG = "--config";
    private static final String HELP = "--help";
    private static final String VERSION = "--version";
    private static final String SEE_HELP = " (see --help)";
    private static final int HELP_COLUMNS = 80;

    /**
     * Reads the words.
     *
     * @param args as given to {@code main}
     * @return the flags
     * @throws UsageException when a flag is unknown, repeated, or lacks its value, or a value isn't allowed
     */
    static Flags parse(String... args) throws UsageException {
        CommandLine parser = parser();
        ParseResult words;
        try {
            words = parser.parseArgs(args);
        } catch (ParameterException wrong) {
            throw new UsageException(explain(wrong, parser) + SEE_HELP);
        }
        if (words.isUsageHelpRequested() || words.isVersionHelpRequested()) {
            return new Flags(new Values(), null, words.isUsageHelpRequested(), words.isVersionHelpRequested());
        }
        Values values = new Values();
        List<String> problems = new ArrayList<>();
        for (Setting<?> setting : Settings.ALL) {
            if (setting.isFlag() && words.hasMatchedOption(setting.flag())) {
                String text = setting == Settings.STATS ? "true" : words.matchedOptionValue(setting.flag(), "");
                add(problems, values.read(setting, text, Source.flag(setting.flag())));
            }
        }
        parseFolder(words, values, problems);
        if (!problems.isEmpty()) {
            throw new UsageException(problems);
        }
        return new Flags(values, words.matchedOptionValue(CONFIG, null), false, false);
    }

    private static void parseFolder(ParseResult words, Values values, List<String> problems) {
        String folder = words.matchedPositionalValue(0, null);
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
        CommandLine parser = parser();
        // "--port N", as the synopsis has it; "--port=N" is understood as well.
        parser.getCommandSpec().parser().separator(" ");
        return parser.getUsageMessage(CommandLine.Help.Ansi.OFF);
    }

    private static void add(List<String> problems, @Nullable String problem) {
        if (problem != null) {
            problems.add(problem);
        }
    }

    private static String explain(ParameterException wrong, CommandLine parser) {
        if (wrong instanceof UnmatchedArgumentException unmatched) {
            return explainUnmatched(unmatched.getUnmatched().get(0), parser);
        }
        if (wrong instanceof MissingParameterException missing) {
            return nameOf(missing.getMissing().get(0)) + " needs a value";
        }
        if (wrong instanceof OverwrittenOptionException twice) {
            return nameOf(twice.getOverwritten()) + " is given twice";
        }
        return Text.escape(String.valueOf(wrong.getMessage()));
    }

    private static String explainUnmatched(String word, CommandLine parser) {
        if (!word.startsWith("-") || word.equals("-")) {
            return "unexpected argument " + Text.quote(word);
        }
        int equals = word.indexOf('=');
        String flag = equals < 0 ? word : word.substring(0, equals);
        List<String> known = parser.getCommandSpec().options().stream()
                .map(OptionSpec::longestName)
                .toList();
        if (known.contains(flag)) {
            return flag + " takes no value: " + Text.escape(word);
        }
        return "unknown option " + Text.quote(flag) + "; the nearest known option is " + Nearest.to(flag, known);
    }

    private static String nameOf(ArgSpec spec) {
        return spec instanceof OptionSpec option ? option.longestName() : "DIR";
    }

    /** Built by hand, not by annotations: reflection would cost start-up time. */
    private static CommandLine parser() {
        CommandSpec spec = CommandSpec.create().name("sws");
        spec.addPositional(PositionalParamSpec.builder()
                .paramLabel("DIR")
                .index("0")
                .arity("0..1")
                .type(String.class)
                .description("Folder to serve. Default: the current folder.")
                .build());
        spec.addOption(valued("--root", "DIR", "The same, as a flag."));
        spec.addOption(valued("--port", "N", "TCP port to listen on; 0 lets the system choose. Default: 8080."));
        spec.addOption(valued("--bind", "ADDR", "Address to listen on. Default: 127.0.0.1."));
        spec.addOption(
                valued("--cores", "N|auto", "Number of cores, 1 to 1024. Default: auto, what this machine allows."));
        spec.addOption(valued("--stealing", "off|base|mely", "What an idle core takes from others. Default: mely."));
        spec.addOption(valued("--max-clients", "N", "Most clients served at once. Default: 10000."));
        spec.addOption(
                valued(CONFIG, "FILE", "Configuration file; config/sws.conf in the sources explains every key."));
        spec.addOption(plain("--stats")
                .description("Print statistics at exit, to standard error.")
                .build());
        spec.addOption(valued("--profile", "FILE", "SIGUSR1 begins to record for simulate --profile, and ends it."));
        spec.addOption(plain(VERSION)
                .versionHelp(true)
                .description("Print the version and exit.")
                .build());
        spec.addOption(plain(HELP)
                .usageHelp(true)
                .description("Print this text and exit.")
                .build());
        describe(spec);
        return new CommandLine(spec)
                .setExpandAtFiles(false)
                .setTrimQuotes(false)
                .setInterpolateVariables(false)
                .setUsageHelpWidth(HELP_COLUMNS);
    }

    private static void describe(CommandSpec spec) {
        spec.usageMessage()
                .customSynopsis(
                        "Usage: java -jar sws.jar [DIR] [--root DIR] [--port N] [--bind ADDR]",
                        "         [--cores N|auto] [--stealing off|base|mely] [--max-clients N]",
                        "         [--config FILE] [--stats] [--profile FILE] [--version] [--help]")
                .synopsisHeading("")
                .description("Serves the files of a folder over HTTP.")
                .descriptionHeading("%n")
                .parameterListHeading("%n")
                .sortOptions(false)
                .footerHeading("%n")
                .footer(
                        "Flags win over environment variables (SWS_PORT, SWS_ROOT, SWS_MAX_CLIENTS, ...),",
                        "which win over the file of --config or SWS_CONFIG.",
                        "",
                        "SIGTERM and SIGINT stop it when running responses are through; a second one",
                        "stops it at once. Exit codes: 0 stopped, 1 could not start, 2 wrong usage.");
    }

    private static OptionSpec valued(String name, String label, String description) {
        return OptionSpec.builder(name)
                .paramLabel(label)
                .arity("1")
                .type(String.class)
                .description(description)
                .build();
    }

    private static OptionSpec.Builder plain(String name) {
        return OptionSpec.builder(name).arity("0").type(boolean.class);
    }
}
