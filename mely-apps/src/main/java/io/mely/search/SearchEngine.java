// SPDX-License-Identifier: Apache-2.0
package io.mely.search;

import io.mely.Color;
import io.mely.deploy.StageFactory;
import io.mely.search.corpus.Page;
import io.mely.search.index.SearchIndex;
import io.mely.search.index.Words;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The stages of a search without a server: for programs that search an index themselves, and for experiments with the stages.
 *
 * <p><b>Threads.</b> Any.
 */
public final class SearchEngine {
    private final SearchStages stages;
    private final SearchIndex index;

    /**
     * What was found.
     *
     * @param path which way the query took through the stages: {@code title}, {@code term}, {@code terms} or {@code nothing}
     * @param total pages in all
     * @param page of results, HTML, compressed by gzip
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    public record Result(String path, int total, byte[] page) {}

    /**
     * Makes the stages.
     *
     * @param factory of a runtime that is not started, or of another kind
     * @param index which stays open until the last answer
     * @param cacheBytes of finished answers, &gt;= 0
     */
    public SearchEngine(StageFactory factory, SearchIndex index, long cacheBytes) {
        this.index = index;
        stages = new SearchStages(factory, cacheBytes);
    }

    /**
     * Names of the stages, in the order of the list of the thesis.
     *
     * @return for deployments
     */
    public static List<String> stageNames() {
        return SearchStages.NAMES;
    }

    /**
     * Searches.
     *
     * @param color of the query: its own, or its client's
     * @param query as a user types it
     * @param answer gets the result, once, on the thread of the last stage; null if a stage refused it or a handler failed
     * @return false if it was refused at once: nobody will answer it
     */
    public boolean ask(Color color, String query, Consumer<@Nullable Result> answer) {
        return stages.begin(new Search(query, color, index, true, false, found -> answer.accept(result(found))));
    }

    /**
     * The page of results, for who has searched in another way and shows it as the stages do.
     *
     * @param query as a user types it
     * @param corrected as it was understood; null if as it was typed
     * @param total pages in all
     * @param pages that are shown
     * @return HTML, compressed by gzip
     * @throws IOException never: it is in memory
     */
    public static byte[] page(String query, @Nullable String corrected, int total, List<Page> pages)
            throws IOException {
        List<String> stems = SearchStages.stems(Words.of(corrected == null ? query : corrected));
        return SearchStages.gzip(ResultsPage.of(query, corrected, total, pages, stems));
    }

    private static @Nullable Result result(Search.@Nullable Answer found) {
        if (found == null) {
            return null;
        }
        byte[] compressed = found.compressed();
        return new Result(
                found.path().name().toLowerCase(Locale.ROOT),
                found.total(),
                compressed == null ? found.content() : compressed);
    }
}
