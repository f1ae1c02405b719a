// SPDX-License-Identifier: Apache-2.0
package io.mely.search.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.mely.search.corpus.Corpus;
import io.mely.search.corpus.Page;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
class IndexTest {
    @TempDir
    Path root;

    private IndexFolder folder;

    @BeforeEach
    void setUp() {
        folder = new IndexFolder(root.resolve("index"));
    }

    private static Corpus corpus(Page... pages) {
        return sink -> {
            for (Page page : pages) {
                sink.take(() -> page);
            }
        };
    }

    private int index(Page... pages) throws IOException {
        return Indexer.index(corpus(pages), folder, 2, count -> {});
    }

    private static final Page LONG = new Page("A long title about cats", "/long", "Cats and dogs, running");
    private static final Page CAT = new Page("Cat", "/cat", "An animal that hunts mice");
    private static final Page RUN = new Page("The Run", "", "He runs");

    // Short titles first; equal ones in the order of the corpus.
    @Test
    void lists_areOfStems_andTitlesAreFoundInAnyCase() throws IOException {
        assertThat(index(LONG, CAT, RUN)).isEqualTo(3);
        try (SearchIndex index = SearchIndex.open(folder)) {
            assertThat(index.pages()).isEqualTo(3);
            assertThat(index.page(0)).isEqualTo(CAT);
            assertThat(index.page(1)).isEqualTo(RUN);
            assertThat(index.page(2)).isEqualTo(LONG);
            assertThat(index.with("cat")).containsExactly(0, 2);
            assertThat(index.withInTitle("cat")).containsExactly(0, 2);
            assertThat(index.with("run")).containsExactly(1, 2);
            assertThat(index.withInTitle("run")).containsExactly(1);
            assertThat(index.with("the")).as("a common word").isEmpty();
            assertThat(index.titled("cat", 10)).containsExactly(0);
            assertThat(index.titled("THE RUN", 10)).containsExactly(1);
            assertThat(index.titled("run", 10)).isEmpty();
            assertThat(index.isWord("hunts")).isTrue();
            assertThat(index.isWord("hunt")).isFalse();
        }
    }

    @Test
    void words_thatSoundAlike_theNearestAndThenTheMostFrequent() throws IOException {
        index(new Page("philosophy", "", "falsify"), new Page("x", "", "write right"), new Page("y", "", "right"));
        try (SearchIndex index = SearchIndex.open(folder)) {
            assertThat(index.soundsLike("filosofy")).isEqualTo("philosophy");
            assertThat(index.soundsLike("rite")).isEqualTo("write");
            assertThat(index.soundsLike("wright")).isEqualTo("right");
            assertThat(index.soundsLike("zzz9")).isNull();
            assertThat(index.soundsLike("123")).isNull();
        }
        assertThat(SearchIndex.distance("", "abc")).isEqualTo(3);
        assertThat(SearchIndex.distance("kitten", "sitting")).isEqualTo(3);
    }

    @Test
    void suggestions_areTitlesWithWordsThatBeginSo_theShortestFirst() throws IOException {
        index(LONG, CAT, new Page("Category", "", ""), RUN);
        try (SearchIndex index = SearchIndex.open(folder)) {
            assertThat(index.suggestions("cat", 10)).containsExactly("Cat", "Category", "A long title about cats");
            assertThat(index.suggestions("title ca", 10)).containsExactly("A long title about cats");
            assertThat(index.suggestions("title x", 10)).isEmpty();
            assertThat(index.suggestions("cat", 1)).containsExactly("Cat");
            assertThat(index.suggestions(" ", 10)).isEmpty();
        }
    }

    @Test
    void emptyCorpus_isAnIndex() throws IOException {
        assertThat(index()).isZero();
        try (SearchIndex index = SearchIndex.open(folder)) {
            assertThat(index.with("cat")).isEmpty();
            assertThat(index.titled("cat", 10)).isEmpty();
            assertThat(index.isWord("cat")).isFalse();
            assertThat(index.soundsLike("cat")).isNull();
            assertThat(index.suggestions("cat", 10)).isEmpty();
        }
    }

    @Test
    void pagesOfManyStages_areNumberedAsInTheCorpus() throws IOException {
        List<Page> pages = new ArrayList<>();
        for (int i = 0; i < 3_000; i++) {
            pages.add(new Page("t" + i % 7, "", "number " + i));
        }
        AtomicInteger told = new AtomicInteger();
        Indexer.index(corpus(pages.toArray(new Page[0])), folder, 2, count -> told.accumulateAndGet(count, Math::max));
        assertThat(told).hasValue(3_000);
        pages.sort(java.util.Comparator.comparing((Page page) -> page.title().length()));
        try (SearchIndex index = SearchIndex.open(folder)) {
            for (int i = 0; i < 3_000; i++) {
                assertThat(index.page(i)).isEqualTo(pages.get(i));
            }
        }
    }

    @Test
    void veryLongTitlesAndWords_areTaken() throws IOException {
        String word = "x".repeat(100_000);
        index(new Page(word, "", word + " cat"));
        try (SearchIndex index = SearchIndex.open(folder)) {
            assertThat(index.with("cat")).containsExactly(0);
            assertThat(index.page(0).title()).isEqualTo(word);
        }
    }

    // ------------------------------------------------------------------ replacing

    @Test
    void newGeneration_isUsedByTheNextOpen_andTheOldOneGoesOn() throws IOException {
        index(CAT);
        SearchIndex before = SearchIndex.open(folder);
        index(RUN);
        index(LONG, RUN);
        try (SearchIndex after = SearchIndex.open(folder)) {
            assertThat(after.pages()).isEqualTo(2);
        }
        assertThat(before.with("cat")).containsExactly(0);
        before.close();
        try (Stream<Path> all = Files.list(root.resolve("index"))) {
            assertThat(all.map(path -> path.getFileName().toString()))
                    .containsExactlyInAnyOrder("2", "3", "current", "lock");
        }
    }

    @Test
    void closedIndex_isOpenUntilTheLastUserIsThrough() throws IOException {
        index(CAT);
        SearchIndex index = SearchIndex.open(folder);
        assertThat(index.tryUse()).isTrue();
        index.close();
        assertThat(index.with("cat")).containsExactly(0);
        index.release();
        assertThat(index.tryUse()).isFalse();
    }

    @Test
    void pageThatCannotBeRead_leavesTheFormerIndex() throws IOException {
        index(CAT);
        assertThatIOException()
                .isThrownBy(() -> Indexer.index(
                        sink -> {
                            for (int i = 0; i < 10_000; i++) {
                                int number = i;
                                sink.take(() -> {
                                    if (number == 500) {
                                        throw new IOException("planned");
                                    }
                                    return RUN;
                                });
                            }
                        },
                        folder,
                        2,
                        count -> {}))
                .withMessageContaining("planned");
        try (SearchIndex index = SearchIndex.open(folder)) {
            assertThat(index.page(0)).isEqualTo(CAT);
        }
    }

    @Test
    void whatACrashHasLeft_isNoIndex_andGoes() throws IOException {
        index(CAT);
        Files.createDirectories(root.resolve("index/2.part/pages"));
        Files.writeString(root.resolve("index/2.part/pages/x"), "half");
        try (SearchIndex index = SearchIndex.open(folder)) {
            assertThat(index.pages()).isEqualTo(1);
        }
        index(RUN, CAT);
        assertThat(root.resolve("index/2.part")).doesNotExist();
        try (SearchIndex index = SearchIndex.open(folder)) {
            assertThat(index.pages()).isEqualTo(2);
        }
    }

    @Test
    void secondWriter_isRefused() throws IOException {
        index(CAT);
        try (FileChannel lock = FileChannel.open(root.resolve("index/lock"), StandardOpenOption.WRITE)) {
            lock.lock();
            assertThatExceptionOfType(java.nio.channels.OverlappingFileLockException.class)
                    .isThrownBy(() -> index(RUN));
        }
    }

    // ------------------------------------------------------------------ damage

    @Test
    void folderWithoutAnIndex_isSaid() {
        assertThatExceptionOfType(NoSuchFileException.class)
                .isThrownBy(() -> SearchIndex.open(folder))
                .withMessageContaining("no index");
    }

    private void refused(String problem) {
        assertThatExceptionOfType(DamagedIndexException.class)
                .isThrownBy(() -> SearchIndex.open(folder))
                .withMessageContaining(problem);
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> all = Files.walk(root.resolve("index/1"))) {
            return all.filter(Files::isRegularFile).sorted().toList();
        }
    }

    // In each file, at its begin, in the middle and at its end; and cut short, and gone.
    @Test
    void changeOfAnyFile_isFound() throws IOException {
        index(LONG, CAT, RUN);
        for (Path file : files()) {
            byte[] good = Files.readAllBytes(file);
            for (int at : new int[] {0, good.length / 2, good.length - 1}) {
                if (good.length > 0) {
                    byte[] bad = good.clone();
                    bad[at] ^= 1;
                    Files.write(file, bad);
                    refused("");
                }
            }
            if (good.length > 0) {
                Files.write(file, java.util.Arrays.copyOf(good, good.length - 1));
                refused("");
            }
            Files.delete(file);
            refused(file.endsWith("manifest") ? "no manifest" : "a file is missing");
            Files.write(file, good);
        }
        SearchIndex.open(folder).close();
        Files.writeString(root.resolve("index/1/pages/more"), "");
        refused("not a file of the index");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "../1", "1\n2", "x"})
    void currentThatNamesNoGeneration_isRefused(String name) throws IOException {
        index(CAT);
        Files.writeString(root.resolve("index/current"), name);
        refused("names no generation");
    }

    @Test
    void otherVersion_isSaid() throws IOException {
        index(CAT);
        Path manifest = root.resolve("index/1/manifest");
        Files.writeString(manifest, Files.readString(manifest).replace("mely-search 1", "mely-search 2"));
        refused("made by another version, index it anew");
    }
}
