// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stages;

import io.mely.search.SearchEngine;
import io.mely.search.corpus.Page;
import io.mely.search.index.Fields;
import io.mely.search.index.SearchIndex;
import io.mely.search.index.Words;
import java.io.Closeable;
import java.io.IOException;
import java.text.Normalizer;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import org.apache.lucene.document.Document;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.StoredFields;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause.Occur;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.ConstantScoreQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.search.TopDocs;
import org.apache.lucene.search.TopScoreDocCollectorManager;
import org.apache.lucene.search.spell.DirectSpellChecker;
import org.apache.lucene.search.spell.SuggestMode;
import org.apache.lucene.search.spell.SuggestWord;
import org.apache.lucene.store.FSDirectory;

/**
 * The same search by Lucene's own means, on the same index: an {@link IndexSearcher} with its cache of queries, and a spell checker by letters.
 *
 * <p>A query that needs no correction has the same answer as from the stages, to the byte: a title first; else all words, pages that have them in their title first. So all hits are counted, as the stages do. A misspelled word is replaced by the most frequent one with the fewest different letters, where the stages take one that sounds alike. It keeps no finished answers.
 *
 * <p><b>Threads.</b> {@link #search}: any.
 */
final class LuceneSearch implements Closeable {
    private static final int SHOWN = 10;
    private static final int WORDS_MAX = 16; // as in the stages

    private final FSDirectory directory;
    private final DirectoryReader reader;
    private final IndexSearcher searcher;
    private final DirectSpellChecker speller = new DirectSpellChecker();

    /**
     * An answer.
     *
     * @param isKnown whether it is a title, or all its words are in the index: then there is nothing to correct
     * @param page of results, as the stages format and compress it
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Answer(boolean isKnown, byte[] page) {}

    private record Hits(int total, List<Page> pages) {}

    /** Opens the pages of an index once more. */
    LuceneSearch(SearchIndex index) throws IOException {
        directory = FSDirectory.open(index.lucene());
        reader = DirectoryReader.open(directory);
        searcher = new IndexSearcher(reader);
    }

    Answer search(String query) throws IOException {
        String text = Normalizer.normalize(query, Normalizer.Form.NFC).strip();
        Hits hits = titled(text);
        String corrected = null;
        boolean isKnown = true;
        if (hits.total() == 0) {
            List<String> words = words(text);
            isKnown = areKnown(words);
            List<String> known = corrected(words);
            if (!known.equals(words)) {
                corrected = String.join(" ", known);
                hits = titled(corrected);
                words = words(corrected);
            }
            if (hits.total() == 0 && !words.isEmpty()) {
                hits = withAll(words);
            }
        }
        return new Answer(isKnown, SearchEngine.page(query, corrected, hits.total(), hits.pages()));
    }

    private static List<String> words(String text) {
        List<String> words = Words.of(text);
        return words.subList(0, Math.min(words.size(), WORDS_MAX)).stream()
                .filter(word -> !Words.isCommon(word))
                .toList();
    }

    private boolean areKnown(List<String> words) throws IOException {
        for (String word : words) {
            if (reader.docFreq(new Term(Fields.WORDS, word)) == 0) {
                return false;
            }
        }
        return true;
    }

    private List<String> corrected(List<String> words) throws IOException {
        List<String> known = new ArrayList<>();
        for (String word : words) {
            SuggestWord[] alike = speller.suggestSimilar(
                    new Term(Fields.WORDS, word), 1, reader, SuggestMode.SUGGEST_WHEN_NOT_IN_INDEX);
            known.add(alike.length == 0 ? word : alike[0].string);
        }
        return known;
    }

    private Hits titled(String title) throws IOException {
        Hits exact = find(new ConstantScoreQuery(new TermQuery(new Term(Fields.TITLE, title))));
        Hits hits = exact.total() > 0
                ? exact
                : find(new ConstantScoreQuery(
                        new TermQuery(new Term(Fields.LOWER_TITLE, title.toLowerCase(Locale.ROOT)))));
        return new Hits(Math.min(SHOWN, hits.total()), hits.pages());
    }

    private Hits withAll(List<String> words) throws IOException {
        Set<String> stems = new LinkedHashSet<>();
        words.forEach(word -> stems.add(Words.stem(word)));
        BooleanQuery.Builder all = new BooleanQuery.Builder();
        BooleanQuery.Builder inTitle = new BooleanQuery.Builder();
        for (String stem : stems) {
            all.add(new TermQuery(new Term(Fields.STEMS, stem)), Occur.FILTER);
            inTitle.add(new TermQuery(new Term(Fields.TITLE_STEMS, stem)), Occur.FILTER);
        }
        return find(
                all.add(new ConstantScoreQuery(inTitle.build()), Occur.SHOULD).build());
    }

    /** The best ten; of equal ones those with the lowest numbers. */
    private Hits find(Query query) throws IOException {
        TopDocs found = searcher.search(query, new TopScoreDocCollectorManager(SHOWN, Integer.MAX_VALUE));
        StoredFields stored = searcher.storedFields();
        List<Page> pages = new ArrayList<>();
        for (ScoreDoc hit : found.scoreDocs) {
            Document page = stored.document(hit.doc);
            pages.add(new Page(
                    Objects.requireNonNull(page.get(Fields.SHOWN_TITLE)),
                    Objects.requireNonNull(page.get(Fields.ADDRESS)),
                    Objects.requireNonNull(page.get(Fields.TEXT))));
        }
        return new Hits((int) found.totalHits.value, pages);
    }

    @Override
    public void close() throws IOException {
        reader.close();
        directory.close();
    }
}
