// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stages;

import io.mely.cli.TemporaryFolder;
import io.mely.search.SearchEngine;
import io.mely.search.corpus.Corpus;
import io.mely.search.index.IndexFolder;
import io.mely.search.index.Indexer;
import io.mely.search.index.SearchIndex;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code stages search} and {@code stages balance}: the site search engine by policy, and its balance of load by replicas and partitions. <b>Source.</b> spec: stages §10, §11. */
@Command(
        name = "search",
        mixinStandardHelpOptions = true,
        description =
                "The fourteen stages of search.jar under each policy of the thesis, and the same handlers run by peers.")
final class SearchCommand extends ServerMeasurement {
    private static final int QUERIES = 20_000;
    private static final int DEMO_PAGES = 20_000;
    private static final long CACHE_BYTES = 16L << 20;

    /** Table B of the thesis, and Table C: differences of the mean rate. */
    private static final Map<String, String> PRINTED = Map.ofEntries(
            Map.entry("central-queue", "0.0"),
            Map.entry("central-queue-under", "-0.0"),
            Map.entry("seda", "-1.0"),
            Map.entry("seda-under", "-1.1"),
            Map.entry("seda-over", "-33.0"),
            Map.entry("srpt", "-4.3"),
            Map.entry("srpt-under", "-4.3"),
            Map.entry("mg1", "-5.7"),
            Map.entry("mg1-under", "-5.7"),
            Map.entry("cohort", "-8.6"),
            Map.entry("cohort-under", "-8.9"),
            Map.entry("dbr", "-14.1"),
            Map.entry("dbr-under", "-14.7"),
            Map.entry(Contenders.replicas(2), "-3.3"),
            Map.entry(Contenders.replicas(4), "-1.2"),
            Map.entry(Contenders.replicas(8), "0.0"));

    @Option(
            names = "--corpus",
            description =
                    "A folder of pages or of dictd dictionaries, or the .index file of one, such as Debian's dict-wn (default: 20,000 made-up pages).")
    private @Nullable Path corpus;

    @Option(names = "--index", description = "Where the index is kept between runs (default: a temporary folder).")
    private @Nullable Path folder;

    private final boolean isBalance;
    private @Nullable Path made;
    private @Nullable SearchIndex index;
    private @Nullable SearchPeers peers;
    private String likeness = "";
    private List<String> queries = List.of();

    SearchCommand(boolean isBalance) {
        this.isBalance = isBalance;
    }

    @Override
    void prepare() throws IOException {
        boolean isKept = folder != null;
        Path where = folder == null ? Files.createTempDirectory("stages-search") : folder;
        made = where;
        IndexFolder generations = new IndexFolder(where);
        if (!isKept || !Files.exists(where.resolve("current"))) {
            say("indexing");
            Corpus pages = corpus == null ? Corpus.demo(DEMO_PAGES) : open(corpus);
            int unused = Indexer.index(pages, generations, Runtime.getRuntime().availableProcessors(), count -> {});
        }
        SearchIndex opened = SearchIndex.open(generations);
        index = opened;
        queries = Queries.of(opened, QUERIES, 1);
        say(String.format(Locale.ROOT, "%,d pages, %,d queries", opened.pages(), queries.size()));
        SearchPeers made = new SearchPeers(generations, opened, queries, cores(), clients(), CACHE_BYTES);
        peers = made;
        if (!isBalance) {
            likeness = made.compare();
            say(likeness);
        }
    }

    /** All dictionaries of a folder, or what else it is. */
    private static Corpus open(Path path) throws IOException {
        if (!Files.isDirectory(path)) {
            return Corpus.open(path);
        }
        List<Path> dictionaries;
        try (Stream<Path> all = Files.list(path)) {
            dictionaries = all.filter(file -> file.toString().endsWith(".index"))
                    .sorted()
                    .toList();
        }
        List<Corpus> opened = new ArrayList<>();
        for (Path each : dictionaries.isEmpty() ? List.of(path) : dictionaries) {
            opened.add(Corpus.open(each));
        }
        return sink -> {
            for (Corpus each : opened) {
                each.sources(sink);
            }
        };
    }

    @Override
    Map<String, String> subject() {
        int pages = Objects.requireNonNull(index).pages();
        String where = corpus != null ? "of " + corpus : folder != null ? "of the index " + folder : "made-up";
        return Map.of("corpus", String.format(Locale.ROOT, "%,d pages, %s", pages, where));
    }

    @Override
    void finish() throws IOException {
        super.finish();
        if (index != null) {
            index.close();
        }
        if (folder == null && made != null) {
            TemporaryFolder.delete(made);
        }
    }

    @Override
    Contenders contenders(int cores) {
        Contenders all = new Contenders(
                cores,
                "SetCombiner",
                List.of("StopwordRemover", "ExactSpellChecker", "SoundSpellChecker", "Stemmer"),
                Map.of(),
                Map.of());
        for (String name : SearchPeers.NAMES) {
            all.add(name, () -> Objects.requireNonNull(peers).make(name));
        }
        return all;
    }

    @Override
    List<String> chosen(Contenders all) {
        List<String> chosen = new ArrayList<>(all.names());
        chosen.removeIf(
                name -> isBalance ? !name.startsWith("cohort") && !name.equals(COLORED) : name.contains("replicas"));
        if (isBalance) {
            chosen.add("cohort-partitions");
        }
        return chosen;
    }

    @Override
    Service service(Contender contender) {
        SearchIndex opened = index;
        if (opened == null) {
            throw new IllegalStateException("no index");
        }
        SearchEngine engine = new SearchEngine(contender.stages(), opened, CACHE_BYTES);
        return (number, color, answer) ->
                engine.ask(color, queries.get(number % queries.size()), found -> answer.accept(found != null));
    }

    @Override
    String reference(String name) {
        return name.endsWith(Contenders.HTTP) ? SearchPeers.SERVER : COLORED;
    }

    @Override
    String note() {
        return super.note() + " Names that end in " + Contenders.HTTP
                + ": whole servers over HTTP on the loopback address, asked by the same client in this process; their difference is to the best of them, and their load a part of what "
                + SearchPeers.SERVER + " answered. " + likeness;
    }

    @Override
    String unit() {
        return "";
    }

    @Override
    String printed(String name) {
        return PRINTED.getOrDefault(name, "");
    }
}
