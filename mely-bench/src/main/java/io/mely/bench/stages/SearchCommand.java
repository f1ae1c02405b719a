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
                    "A folder of pages, or the .index file of a dictd dictionary, such as Debian's dict-wn (default: 20,000 made-up pages).")
    private @Nullable Path corpus;

    @Option(names = "--index", description = "Where the index is kept between runs (default: a temporary folder).")
    private @Nullable Path folder;

    private final boolean isBalance;
    private @Nullable Path made;
    private @Nullable SearchIndex index;
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
            Corpus pages = corpus == null ? Corpus.demo(DEMO_PAGES) : Corpus.open(corpus);
            int unused = Indexer.index(pages, generations, Runtime.getRuntime().availableProcessors(), count -> {});
        }
        SearchIndex opened = SearchIndex.open(generations);
        index = opened;
        queries = Queries.of(opened, QUERIES, 1);
        say(String.format(Locale.ROOT, "%,d pages, %,d queries", opened.pages(), queries.size()));
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
        return new Contenders(
                cores,
                "SetCombiner",
                List.of("StopwordRemover", "ExactSpellChecker", "SoundSpellChecker", "Stemmer"),
                Map.of(),
                Map.of());
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
    String unit() {
        return "";
    }

    @Override
    String printed(String name) {
        return PRINTED.getOrDefault(name, "");
    }
}
