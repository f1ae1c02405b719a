// SPDX-License-Identifier: Apache-2.0
package io.mely.search.index;

import io.mely.Mely;
import io.mely.Stage;
import io.mely.StageOptions;
import io.mely.search.corpus.Corpus;
import io.mely.search.corpus.Page;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntConsumer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.FieldType;
import org.apache.lucene.document.NumericDocValuesField;
import org.apache.lucene.document.StoredField;
import org.apache.lucene.document.StringField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexOptions;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.LeafReader;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.Terms;
import org.apache.lucene.index.TermsEnum;
import org.apache.lucene.search.Sort;
import org.apache.lucene.search.SortField;
import org.apache.lucene.search.suggest.InputIterator;
import org.apache.lucene.search.suggest.analyzing.AnalyzingInfixSuggester;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FSDirectory;
import org.apache.lucene.util.BytesRef;
import org.jspecify.annotations.Nullable;

/**
 * Makes an index: a program of stages itself. One stage reads a page and takes its mark-up off, the next analyses it and hands it to Lucene. Both run on all cores; the first waits when the second is full.
 *
 * <p>Pages are numbered by the order in the corpus, those with short titles first: what is named by the words that one looks for comes before what only mentions them.
 */
public final class Indexer {
    /** Pages that wait at a stage. A bound on memory alone: a few for each core keep all busy. */
    private static final int WAITING_MAX = 256;

    /** The analysis of a snippet takes a microsecond for each twenty letters. */
    static final int TEXT_LETTERS_MAX = 20_000;

    private static final Duration WITHOUT_END = Duration.ofDays(1_000);
    private static final String NUMBER = "number";
    private static final String TITLE_LETTERS = "title-letters";
    private static final FieldType STEMMED = new FieldType();

    static {
        STEMMED.setIndexOptions(IndexOptions.DOCS);
        STEMMED.setOmitNorms(true);
        STEMMED.freeze();
    }

    private final Corpus corpus;
    private final int cores;
    private final IntConsumer progress;
    private final AtomicInteger pages = new AtomicInteger();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();

    private Indexer(Corpus corpus, int cores, IntConsumer progress) {
        this.corpus = corpus;
        this.cores = cores;
        this.progress = progress;
    }

    /**
     * Indexes a corpus, and makes that the current index of a folder.
     *
     * @param corpus what is indexed
     * @param folder of the index
     * @param cores 0: as many as there are
     * @param progress told how many pages are done, now and then; any thread
     * @return how many pages it has
     * @throws IOException if something can't be read or written; the folder has its former index then
     */
    public static int index(Corpus corpus, IndexFolder folder, int cores, IntConsumer progress) throws IOException {
        return folder.replace(new Indexer(corpus, cores, progress)::fill);
    }

    private record Numbered(long number, Corpus.Source source) {}

    private record Read(long number, Page page) {}

    private int fill(Path generation) throws IOException {
        try (Directory directory = FSDirectory.open(SearchIndex.lucene(generation));
                IndexWriter writer = new IndexWriter(directory, config())) {
            write(writer);
            writer.forceMerge(1);
            writer.commit();
        }
        try (Directory directory = FSDirectory.open(SearchIndex.lucene(generation));
                DirectoryReader reader = DirectoryReader.open(directory)) {
            List<LeafReaderContext> leaves = reader.leaves();
            writeSounds(leaves, generation.resolve("sounds"));
            writeSuggestions(leaves, generation.resolve("suggestions"));
        }
        return pages.get();
    }

    private static IndexWriterConfig config() {
        return new IndexWriterConfig(Words.STEMS)
                .setIndexSort(new Sort(
                        new SortField(TITLE_LETTERS, SortField.Type.LONG), new SortField(NUMBER, SortField.Type.LONG)));
    }

    // ------------------------------------------------------------------ the stages

    private void write(IndexWriter writer) throws IOException {
        Mely mely = (cores == 0 ? Mely.builder() : Mely.builder().cores(cores))
                .errorHandler(failed -> failure.compareAndSet(null, failed.cause()))
                .build();
        try {
            StageOptions bounded = StageOptions.defaults().withCapacity(WAITING_MAX);
            Stage<Read> add = mely.stage("Add", read -> add(writer, read));
            Stage<Numbered> read = mely.stage("Read", bounded, source -> {
                Page page = source.source().read();
                if (page != null) {
                    add.send(source.number(), new Read(source.number(), page)); // its own color: it runs next
                }
            });
            mely.start();
            AtomicLong number = new AtomicLong();
            corpus.sources(source -> send(mely, read, new Numbered(number.getAndIncrement(), source)));
        } finally {
            mely.close(WITHOUT_END);
        }
        rethrow();
    }

    private void send(Mely mely, Stage<Numbered> stage, Numbered source) throws IOException {
        while (!stage.offer(source.number(), source)) {
            CountDownLatch hasRoom = new CountDownLatch(1);
            if (!mely.isAccepting()) {
                rethrow();
                throw new IOException("the runtime has stopped");
            }
            if (stage.whenRoom(hasRoom::countDown)) {
                try {
                    hasRoom.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw new InterruptedIOException("interrupted while a page waited");
                }
            }
        }
        rethrow(); // there is no use in going on
    }

    private void rethrow() throws IOException {
        Throwable failed = failure.get();
        if (failed != null) {
            throw new IOException("a page cannot be indexed: " + failed.getMessage(), failed);
        }
    }

    private void add(IndexWriter writer, Read read) throws IOException {
        Page page = read.page();
        String all = page.title() + "\n" + page.text();
        Document document = new Document();
        document.add(new StringField(Fields.TITLE, bounded(page.title()), Field.Store.NO));
        document.add(
                new StringField(Fields.LOWER_TITLE, bounded(page.title().toLowerCase(Locale.ROOT)), Field.Store.NO));
        document.add(new Field(Fields.TITLE_STEMS, page.title(), STEMMED));
        document.add(new Field(Fields.STEMS, all, STEMMED));
        for (String word : new LinkedHashSet<>(Words.of(all))) {
            document.add(new StringField(Fields.WORDS, bounded(word), Field.Store.NO));
        }
        document.add(new StoredField(Fields.SHOWN_TITLE, page.title()));
        document.add(new StoredField(Fields.ADDRESS, page.address()));
        document.add(new StoredField(Fields.TEXT, shown(page.text())));
        document.add(new NumericDocValuesField(TITLE_LETTERS, page.title().length()));
        document.add(new NumericDocValuesField(NUMBER, read.number()));
        writer.addDocument(document);
        progress.accept(pages.incrementAndGet());
    }

    /** Of a text so much is kept, for snippets: ten of them are in memory for each query. */
    private static String shown(String text) {
        return text.length() <= TEXT_LETTERS_MAX ? text : text.substring(0, TEXT_LETTERS_MAX);
    }

    /** Lucene takes no term of more than 32,766 bytes. */
    private static String bounded(String term) {
        int lettersMax = IndexWriter.MAX_TERM_LENGTH / 4;
        return term.length() <= lettersMax ? term : term.substring(0, lettersMax);
    }

    // ------------------------------------------------------------------ what is made from the lists

    private static void writeSounds(List<LeafReaderContext> leaves, Path folder) throws IOException {
        try (Directory directory = FSDirectory.open(folder);
                IndexWriter writer = new IndexWriter(directory, new IndexWriterConfig())) {
            for (LeafReaderContext leaf : leaves) {
                Terms terms = leaf.reader().terms(Fields.WORDS);
                if (terms == null) {
                    continue;
                }
                TermsEnum words = terms.iterator();
                for (BytesRef term = words.next(); term != null; term = words.next()) {
                    writeSound(writer, term.utf8ToString(), words.docFreq());
                }
            }
            writer.forceMerge(1);
            writer.commit();
        }
    }

    private static void writeSound(IndexWriter writer, String word, int pages) throws IOException {
        Document document = new Document();
        for (String code : Sounds.of(word)) {
            document.add(new StringField(Fields.SOUND, code, Field.Store.NO));
        }
        if (document.getFields().isEmpty()) {
            return;
        }
        document.add(new StoredField(Fields.WORD, word));
        document.add(new StoredField(Fields.PAGES, pages));
        writer.addDocument(document);
    }

    private static void writeSuggestions(List<LeafReaderContext> leaves, Path folder) throws IOException {
        try (AnalyzingInfixSuggester suggester = new AnalyzingInfixSuggester(FSDirectory.open(folder), Words.PLAIN)) {
            suggester.build(
                    leaves.isEmpty()
                            ? InputIterator.EMPTY
                            : new Titles(leaves.get(0).reader()));
            suggester.commit();
        }
    }

    /** The titles of all pages, for the suggester. */
    private static final class Titles implements InputIterator {
        private final LeafReader pages;
        private int page = -1;
        private int letters;

        Titles(LeafReader pages) {
            this.pages = pages;
        }

        @Override
        public @Nullable BytesRef next() throws IOException {
            page++;
            if (page == pages.maxDoc()) {
                return null;
            }
            String title =
                    Objects.requireNonNull(pages.storedFields().document(page).get(Fields.SHOWN_TITLE));
            letters = title.length();
            return new BytesRef(bounded(title));
        }

        @Override
        public long weight() {
            return -letters; // the shortest first
        }

        @Override
        public @Nullable BytesRef payload() {
            return null;
        }

        @Override
        public boolean hasPayloads() {
            return false;
        }

        @Override
        public @Nullable Set<BytesRef> contexts() {
            return null;
        }

        @Override
        public boolean hasContexts() {
            return false;
        }
    }
}
