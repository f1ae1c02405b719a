// SPDX-License-Identifier: Apache-2.0
package io.mely.search;

import io.mely.Stage;
import io.mely.StageOptions;
import io.mely.deploy.StageFactory;
import io.mely.search.corpus.Page;
import io.mely.search.index.SearchIndex;
import io.mely.search.index.Words;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.text.Normalizer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * The stages of the search server, connected.
 *
 * <pre>
 *   QueryDecoder → TitleReader ─────────────── a title ──────────────────────────────┐
 *                    │   ▲                                                            ▼
 *                    ▼   └────────── corrected ──────────┐                      ContentReader
 *                 Tokenizer → StopwordRemover → ExactSpellChecker                     │
 *                                  │ checked       │ unknown words                    ▼
 *                                  ▼               ▼                              Formatter
 *                               Stemmer ←── SoundSpellChecker                         │
 *                 one word  │       │  several                                        ▼
 *                           ▼       ▼                                              Deflater → the answer
 *                SingleTermReader  ResultsCache → MultiTermReader → SetCombiner
 * </pre>
 *
 * <p>A query has its own color, so it is with one stage at a time, and each stage runs for any number of queries at once, but for the cache, which is single-threaded.
 *
 * <p><b>Threads.</b> {@link #begin}: any. <b>Source.</b> spec: stages §10.1; the set combiner is the bottleneck, as there.
 */
final class SearchStages {
    /** More words of a query are left out: no person types so many, and each is a list to read. */
    static final int WORDS_MAX = 16;

    /** Queries whose lists are in memory while they wait for the combiner: each has two lists for each word. */
    private static final int LISTS_MAX = 256;

    /** More letters of a query are left out. */
    static final int LETTERS_MAX = 256;

    private final Stage<Search> queryDecoder;
    private final Stage<Search> titleReader;
    private final Stage<Search> tokenizer;
    private final Stage<Search> stopwordRemover;
    private final Stage<Search> exactSpellChecker;
    private final Stage<Search> soundSpellChecker;
    private final Stage<Search> stemmer;
    private final Stage<Search> singleTermReader;
    private final Stage<Search> resultsCache;
    private final Stage<Search> multiTermReader;
    private final Stage<Search> setCombiner;
    private final Stage<Search> contentReader;
    private final Stage<Search> formatter;
    private final Stage<Search> deflater;
    private final ResultsCache cache;

    /** Names of the stages, for deployment files. */
    static final List<String> NAMES = List.of(
            "QueryDecoder",
            "TitleReader",
            "Tokenizer",
            "StopwordRemover",
            "ExactSpellChecker",
            "SoundSpellChecker",
            "Stemmer",
            "SingleTermReader",
            "ResultsCache",
            "MultiTermReader",
            "SetCombiner",
            "ContentReader",
            "Formatter",
            "Deflater");

    SearchStages(StageFactory stages, long cacheBytesMax) {
        StageOptions plain = StageOptions.defaults();
        cache = new ResultsCache(cacheBytesMax);
        queryDecoder = stages.stage("QueryDecoder", plain, this::decode);
        titleReader = stages.stage("TitleReader", plain, this::readTitle);
        tokenizer = stages.stage("Tokenizer", plain, this::tokenize);
        stopwordRemover = stages.stage("StopwordRemover", plain, this::removeStopwords);
        exactSpellChecker = stages.stage("ExactSpellChecker", plain, this::checkSpelling);
        soundSpellChecker = stages.stage("SoundSpellChecker", plain, this::correctBySound);
        stemmer = stages.stage("Stemmer", plain, this::stem);
        singleTermReader = stages.stage("SingleTermReader", plain, this::readSingleTerm);
        resultsCache = stages.stage("ResultsCache", plain.asSingleThreaded(), this::lookUpOrKeep);
        multiTermReader = stages.stage("MultiTermReader", plain, this::readTerms);
        // What waits there holds its lists; who is refused is told.
        setCombiner = stages.stage("SetCombiner", plain.withCapacity(LISTS_MAX), this::combine);
        contentReader = stages.stage("ContentReader", plain, this::readContent);
        formatter = stages.stage("Formatter", plain, this::format);
        deflater = stages.stage("Deflater", plain, this::deflate);
    }

    /**
     * Begins to answer a query.
     *
     * @return false if it was refused: nobody will answer it
     */
    boolean begin(Search search) {
        return queryDecoder.offer(search.color, search);
    }

    private static void send(Stage<Search> to, Search search) {
        if (!to.offer(search.color, search)) {
            search.fail();
        }
    }

    // ------------------------------------------------------------------ 2 to 8: what is asked

    private void decode(Search search) {
        String text = Normalizer.normalize(search.asked, Normalizer.Form.NFC).strip();
        int end = Math.min(text.length(), LETTERS_MAX);
        search.text = text.substring(0, end > 0 && Character.isHighSurrogate(text.charAt(end - 1)) ? end - 1 : end);
        send(titleReader, search);
    }

    private void readTitle(Search search) throws IOException {
        search.found = search.text.isEmpty() ? new int[0] : search.index.titled(search.text, Search.RESULTS_MAX);
        search.total = search.found.length;
        if (search.total > 0) {
            search.path = Search.Path.TITLE;
            search.stems = stems(Words.of(search.text));
            send(contentReader, search);
        } else {
            send(tokenizer, search);
        }
    }

    private void tokenize(Search search) {
        List<String> words = Words.of(search.text);
        search.words = words.size() <= WORDS_MAX ? words : words.subList(0, WORDS_MAX);
        send(stopwordRemover, search);
    }

    private void removeStopwords(Search search) {
        search.words =
                search.words.stream().filter(word -> !Words.isCommon(word)).toList();
        if (search.words.isEmpty()) {
            send(formatter, search);
        } else {
            send(search.isChecked ? stemmer : exactSpellChecker, search);
        }
    }

    private void checkSpelling(Search search) throws IOException {
        search.isChecked = true;
        for (String word : search.words) {
            if (!search.index.isWord(word)) {
                send(soundSpellChecker, search);
                return;
            }
        }
        send(stemmer, search);
    }

    /** Replaces what no page has by what sounds like it, and looks for a title once more. */
    private void correctBySound(Search search) throws IOException {
        List<String> words = new ArrayList<>();
        for (String word : search.words) {
            String known = search.index.isWord(word) ? word : search.index.soundsLike(word);
            words.add(known == null ? word : known);
        }
        if (words.equals(search.words)) {
            send(stemmer, search);
            return;
        }
        search.corrected = String.join(" ", words);
        search.text = search.corrected;
        send(titleReader, search);
    }

    static List<String> stems(List<String> words) {
        LinkedHashSet<String> stems = new LinkedHashSet<>();
        for (String word : words) {
            if (!Words.isCommon(word)) {
                stems.add(Words.stem(word));
            }
        }
        return List.copyOf(stems);
    }

    private void stem(Search search) {
        search.stems = stems(search.words);
        search.path = search.stems.size() == 1 ? Search.Path.TERM : Search.Path.TERMS;
        send(search.stems.size() == 1 ? singleTermReader : resultsCache, search);
    }

    // ------------------------------------------------------------------ 9 to 12: which pages

    private void readSingleTerm(Search search) throws IOException {
        SearchIndex index = search.index;
        String stem = search.stems.get(0);
        show(search, index.withInTitle(stem), index.with(stem));
        send(contentReader, search);
    }

    /** Pages whose title has all the words come first, then those that only have them somewhere. */
    private static void show(Search search, int[] inTitle, int[] anywhere) {
        search.total = anywhere.length;
        int titles = Math.min(inTitle.length, Search.RESULTS_MAX);
        int[] found = Arrays.copyOf(inTitle, Search.RESULTS_MAX);
        int[] rest = titles == Search.RESULTS_MAX ? new int[0] : SetCombiner.without(inTitle, anywhere);
        int more = Math.min(rest.length, Search.RESULTS_MAX - titles);
        System.arraycopy(rest, 0, found, titles, more);
        search.found = Arrays.copyOf(found, titles + more);
    }

    /** Comes here before it is answered, and, if nothing was found, once more with the answer. */
    private void lookUpOrKeep(Search search) {
        if (search.content.length > 0) {
            cache.put(search);
            search.answer();
        } else if (cache.find(search)) {
            search.answer();
        } else {
            send(multiTermReader, search);
        }
    }

    private void readTerms(Search search) throws IOException {
        int count = search.stems.size();
        search.lists = new int[count][];
        search.titleLists = new int[count][];
        for (int i = 0; i < count; i++) {
            search.lists[i] = search.index.with(search.stems.get(i));
            search.titleLists[i] = search.index.withInTitle(search.stems.get(i));
        }
        send(setCombiner, search);
    }

    private void combine(Search search) {
        int[] inTitle = SetCombiner.common(search.titleLists);
        int[] anywhere = SetCombiner.common(search.lists);
        search.lists = new int[0][];
        search.titleLists = new int[0][];
        show(search, inTitle, anywhere);
        send(contentReader, search);
    }

    // ------------------------------------------------------------------ 13 to 15: the answer

    private void readContent(Search search) throws IOException {
        List<Page> pages = new ArrayList<>();
        for (int page : search.found) {
            pages.add(search.index.page(page));
        }
        search.pages = pages;
        send(formatter, search);
    }

    private void format(Search search) {
        search.content = search.isJson ? ResultsJson.of(search) : ResultsPage.of(search);
        search.pages = List.of();
        send(deflater, search);
    }

    private void deflate(Search search) throws IOException {
        if (search.takesGzip) {
            search.compressed = gzip(search.content);
        }
        if (search.path == Search.Path.TERMS) {
            send(resultsCache, search);
        } else {
            search.answer();
        }
    }

    static byte[] gzip(byte[] content) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream(content.length / 2 + 64);
        try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
            gzip.write(content);
        }
        return out.toByteArray();
    }

    /** Forgets answers of former indexes. */
    void use(SearchIndex index) {
        resultsCache.color().execute(() -> cache.keepOnly(index));
    }

    /** Whom a failed event belongs to; null if it is no query's. */
    static @Nullable Search of(@Nullable Object event) {
        return event instanceof Search search ? search : null;
    }
}
