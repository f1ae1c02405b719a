// SPDX-License-Identifier: Apache-2.0
package io.mely.search.index;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.lucene.document.Document;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.LeafReader;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.PostingsEnum;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.DocIdSetIterator;
import org.apache.lucene.search.suggest.Lookup;
import org.apache.lucene.search.suggest.analyzing.AnalyzingInfixSuggester;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FSDirectory;
import org.apache.lucene.util.IOUtils;
import org.jspecify.annotations.Nullable;

/**
 * One generation of an index, open for reading.
 *
 * <p>Pages have numbers from 0. Lists of pages are ascending.
 *
 * <p><b>Threads.</b> Any. <b>Life.</b> Who uses it {@linkplain #tryUse takes} it and {@linkplain #release gives it back}; it is closed when nobody uses it any more after {@link #close}. <b>Costs.</b> It is mapped into memory: a list that nobody has read for long is read from the disk.
 */
public final class SearchIndex implements Closeable {
    /** Of words that sound alike, so many are compared with what was asked. Common codes have some twenty. */
    private static final int ALIKE_MAX = 200;

    private final Path generation;
    private final int pages;
    private final Directory directory;
    private final DirectoryReader reader;
    private final Directory soundsDirectory;
    private final DirectoryReader sounds;
    private final AnalyzingInfixSuggester suggester;
    private final AtomicInteger users = new AtomicInteger(1); // itself until it is closed; 0: closed

    @SuppressWarnings("NullAway") // closed where one cannot be opened
    private SearchIndex(Path generation, int pages) throws IOException {
        this.generation = generation;
        this.pages = pages;
        List<Closeable> opened = new ArrayList<>();
        boolean isOpen = false;
        try {
            directory = opened(opened, FSDirectory.open(lucene(generation)));
            reader = opened(opened, DirectoryReader.open(directory));
            soundsDirectory = opened(opened, FSDirectory.open(generation.resolve("sounds")));
            sounds = opened(opened, DirectoryReader.open(soundsDirectory));
            suggester = opened(
                    opened,
                    new AnalyzingInfixSuggester(FSDirectory.open(generation.resolve("suggestions")), Words.PLAIN));
            isOpen = true;
        } finally {
            if (!isOpen) {
                IOUtils.closeWhileHandlingException(opened);
            }
        }
    }

    private static <T extends Closeable> T opened(List<Closeable> all, T one) {
        all.add(one);
        return one;
    }

    /**
     * Opens the current generation of a folder, after a check of all its bytes.
     *
     * @param folder of the index
     * @return the index
     * @throws DamagedIndexException if it must not be used
     * @throws IOException if it can't be read
     */
    public static SearchIndex open(IndexFolder folder) throws IOException {
        Path generation = folder.current();
        return new SearchIndex(generation, Manifest.check(generation));
    }

    /**
     * Which one it is.
     *
     * @return its folder
     */
    public Path generation() {
        return generation;
    }

    /**
     * Where Lucene's index of the pages is, for who reads it in another way.
     *
     * @return a folder; document numbers are page numbers
     */
    public Path lucene() {
        return lucene(generation);
    }

    static Path lucene(Path generation) {
        return generation.resolve("pages");
    }

    /**
     * How many pages it has.
     *
     * @return &gt;= 0
     */
    public int pages() {
        return pages;
    }

    // ------------------------------------------------------------------ life

    /**
     * Begins to use it.
     *
     * @return false if it is closed
     */
    public boolean tryUse() {
        int known;
        do {
            known = users.get();
            if (known == 0) {
                return false;
            }
        } while (!users.compareAndSet(known, known + 1));
        return true;
    }

    /**
     * Ends a use.
     *
     * @throws IOException if it was the last one after {@link #close}, and files can't be closed
     */
    public void release() throws IOException {
        if (users.decrementAndGet() == 0) {
            IOUtils.close(suggester, sounds, soundsDirectory, reader, directory);
        }
    }

    /** Ends its own use. Once. */
    @Override
    public void close() throws IOException {
        release();
    }

    // ------------------------------------------------------------------ lists

    private static @Nullable LeafReader leaf(DirectoryReader of) {
        List<LeafReaderContext> leaves = of.leaves();
        assert leaves.size() <= 1 : "it was merged";
        return leaves.isEmpty() ? null : leaves.get(0).reader();
    }

    private int[] list(String field, String text, int most) throws IOException {
        LeafReader leaf = leaf(reader);
        PostingsEnum all = leaf == null ? null : leaf.postings(new Term(field, text), PostingsEnum.NONE);
        if (all == null) {
            return new int[0];
        }
        int[] list = new int[(int) Math.min(most, all.cost())];
        int count = 0;
        for (int page = all.nextDoc(); page != DocIdSetIterator.NO_MORE_DOCS && count < most; page = all.nextDoc()) {
            if (count == list.length) {
                list = Arrays.copyOf(list, Math.min(most, 2 * count + 1));
            }
            list[count++] = page;
        }
        return Arrays.copyOf(list, count);
    }

    /**
     * The pages with a title.
     *
     * @param title as the user wrote it
     * @param most how many at most
     * @return those with just this title, or if there are none, those whose title differs in case only
     * @throws IOException if the index can't be read
     */
    public int[] titled(String title, int most) throws IOException {
        int[] exact = list(Fields.TITLE, title, most);
        return exact.length != 0 ? exact : list(Fields.LOWER_TITLE, title.toLowerCase(java.util.Locale.ROOT), most);
    }

    /**
     * The pages that have a stem in their title.
     *
     * @param stem of a word
     * @return all
     * @throws IOException if the index can't be read
     */
    public int[] withInTitle(String stem) throws IOException {
        return list(Fields.TITLE_STEMS, stem, Integer.MAX_VALUE);
    }

    /**
     * The pages that have a stem anywhere.
     *
     * @param stem of a word
     * @return all
     * @throws IOException if the index can't be read
     */
    public int[] with(String stem) throws IOException {
        return list(Fields.STEMS, stem, Integer.MAX_VALUE);
    }

    /**
     * Whether any page has a word.
     *
     * @param word in lower case, not a stem
     * @return true if so
     * @throws IOException if the index can't be read
     */
    public boolean isWord(String word) throws IOException {
        LeafReader leaf = leaf(reader);
        return leaf != null && leaf.docFreq(new Term(Fields.WORDS, word)) > 0;
    }

    /**
     * The word that a misspelt one most likely stands for: of those that sound like it the one with the fewest different letters (where ph counts as f, and a letter twice as once), and of these the most frequent.
     *
     * @param word in lower case
     * @return null if none sounds like it
     * @throws IOException if the index can't be read
     */
    public @Nullable String soundsLike(String word) throws IOException {
        LeafReader leaf = leaf(sounds);
        if (leaf == null) {
            return null;
        }
        Map<String, Integer> alike = new HashMap<>();
        for (String code : Sounds.of(word)) {
            PostingsEnum all = leaf.postings(new Term(Fields.SOUND, code), PostingsEnum.NONE);
            if (all == null) {
                continue;
            }
            for (int at = all.nextDoc();
                    at != DocIdSetIterator.NO_MORE_DOCS && alike.size() < ALIKE_MAX;
                    at = all.nextDoc()) {
                Document entry = leaf.storedFields().document(at);
                alike.put(
                        entry.get(Fields.WORD),
                        Objects.requireNonNull(entry.getField(Fields.PAGES))
                                .numericValue()
                                .intValue());
            }
        }
        return alike.entrySet().stream()
                .min(Comparator.<Map.Entry<String, Integer>>comparingInt(
                                entry -> distance(plain(word), plain(entry.getKey())))
                        .thenComparing(entry -> -entry.getValue())
                        .thenComparing(Map.Entry::getKey))
                .map(Map.Entry::getKey)
                .orElse(null);
    }

    /** The same sound is spelt in two ways most often by these. */
    private static String plain(String word) {
        return word.replace("ph", "f").replaceAll("(.)\\1", "$1");
    }

    /** Levenshtein's: how many letters must be inserted, deleted or changed. */
    static int distance(String one, String other) {
        int[] row = new int[other.length() + 1];
        Arrays.setAll(row, i -> i);
        for (int i = 1; i <= one.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= other.length(); j++) {
                int changed = diagonal + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(changed, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[other.length()];
    }

    // ------------------------------------------------------------------ pages

    /**
     * What a page was indexed as.
     *
     * @param page its number
     * @return title, address and text
     * @throws IOException if the index can't be read
     */
    public io.mely.search.corpus.Page page(int page) throws IOException {
        Document found = Objects.requireNonNull(leaf(reader)).storedFields().document(page);
        return new io.mely.search.corpus.Page(
                Objects.requireNonNull(found.get(Fields.SHOWN_TITLE)),
                Objects.requireNonNull(found.get(Fields.ADDRESS)),
                Objects.requireNonNull(found.get(Fields.TEXT)));
    }

    /**
     * Titles that have words which begin as what was typed so far.
     *
     * @param typed so far
     * @param most how many at most
     * @return the shortest first
     * @throws IOException if the index can't be read
     */
    public List<String> suggestions(String typed, int most) throws IOException {
        if (typed.isBlank() || pages == 0) {
            return List.of();
        }
        List<String> titles = new ArrayList<>();
        for (Lookup.LookupResult each : suggester.lookup(typed, false, most)) {
            titles.add(each.key.toString());
        }
        return titles;
    }

    @Override
    public String toString() {
        return "SearchIndex[" + generation + ", pages=" + pages + "]";
    }
}
