// SPDX-License-Identifier: Apache-2.0
package io.mely.search;

import io.mely.Color;
import io.mely.search.corpus.Page;
import io.mely.search.index.SearchIndex;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One query on its way through the stages: the event of all of them.
 *
 * <p><b>Threads.</b> That of the stage that it is at; one stage at a time has it.
 */
final class Search {
    /** Results of one page. */
    static final int RESULTS_MAX = 10;

    /** How it was answered. */
    enum Path {
        /** The whole query is a title. */
        TITLE,
        /** One word. */
        TERM,
        /** Several words: an intersection, or what the cache had of it. */
        TERMS,
        /** No word of it is known. */
        NOTHING
    }

    /**
     * The answer.
     *
     * @param path that the query took
     * @param pages numbers of the results shown, in their order
     * @param total results in all
     * @param corrected the query as it was understood; null if as it was asked
     * @param content a page, or JSON
     * @param compressed the same, by gzip; null if the client does not take that
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Answer(
            Path path,
            int[] pages,
            int total,
            @Nullable String corrected,
            byte[] content,
            byte @Nullable [] compressed) {}

    final String asked;
    final Color color;
    final SearchIndex index;
    final boolean takesGzip;
    final boolean isJson;
    private final Consumer<@Nullable Answer> done;

    Path path = Path.NOTHING;
    String text;
    List<String> words = List.of();
    List<String> stems = List.of();
    boolean isChecked;

    @Nullable
    String corrected;

    int[][] lists = {}; // by stem
    int[][] titleLists = {};
    int[] found = {};
    int total;
    List<Page> pages = List.of();
    byte[] content = {};
    byte @Nullable [] compressed;

    /**
     * Begins one.
     *
     * @param asked as the user typed it
     * @param color in which it is answered
     * @param index held until the answer
     * @param takesGzip whether the client takes compressed answers
     * @param isJson whether the answer is JSON, not a page
     * @param done gets the answer, once, in some color; null if it was not answered
     */
    Search(
            String asked,
            Color color,
            SearchIndex index,
            boolean takesGzip,
            boolean isJson,
            Consumer<@Nullable Answer> done) {
        this.asked = asked;
        this.color = color;
        this.index = index;
        this.takesGzip = takesGzip;
        this.isJson = isJson;
        this.done = done;
        text = asked;
    }

    /** Ends it with the answer. */
    void answer() {
        done.accept(new Answer(path, found, total, corrected, content, compressed));
    }

    /** Ends it without one: an event of it was refused, or a handler failed. */
    void fail() {
        done.accept(null);
    }

    @Override
    public String toString() {
        return "Search[" + path + ", asked=" + asked + "]";
    }
}
