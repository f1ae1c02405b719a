// SPDX-License-Identifier: Apache-2.0
package io.mely.search;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.mely.Mely;
import io.mely.MelyBuilder;
import io.mely.Policy;
import io.mely.deploy.StageFactory;
import io.mely.policy.PoolPolicy;
import io.mely.policy.VisitPolicy;
import io.mely.search.corpus.Corpus;
import io.mely.search.corpus.Page;
import io.mely.search.index.IndexFolder;
import io.mely.search.index.Indexer;
import io.mely.search.index.SearchIndex;
import io.mely.search.index.Words;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

// All paths of a query, beside a scan of all pages. The corpus is made of 300 words, the n-th of which is used 1/n as
// often as the first; -Dmely.search.corpus names a real one.
@Timeout(300)
class SearchStagesTest {
    private static final int QUERIES = 1_000;

    @TempDir
    static Path folder;

    private static SearchIndex index;
    private static final List<Set<String>> TITLE_STEMS = new ArrayList<>();
    private static final List<Set<String>> STEMS = new ArrayList<>();
    private static final List<String> TITLES = new ArrayList<>();
    private static final Set<String> LOWER_TITLES = new HashSet<>();
    private static final List<String> KNOWN_WORDS = new ArrayList<>();

    private Mely mely;
    private SearchStages stages;

    private static Corpus madeUp() {
        SplittableRandom random = new SplittableRandom(7);
        List<String> syllables = List.of("ba", "ko", "mi", "ra", "tu", "ne", "so", "li", "fa", "du");
        List<String> words = IntStream.range(0, 300)
                .mapToObj(i -> syllables.get(i % 10) + syllables.get(i / 10 % 10) + syllables.get(i / 100) + "n")
                .toList();
        return sink -> {
            for (int page = 0; page < 2_000; page++) {
                String title = some(random, words, 1 + random.nextInt(3));
                String text = some(random, words, 20) + " the and of";
                sink.take(() -> new Page(title, "/" + title, text));
            }
        };
    }

    private static String some(SplittableRandom random, List<String> words, int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> words.get((int) (Math.pow(words.size(), random.nextDouble()) - 1)))
                .collect(Collectors.joining(" "));
    }

    @BeforeAll
    static void makeIndex() throws IOException {
        String corpus = System.getProperty("mely.search.corpus");
        IndexFolder at = new IndexFolder(folder);
        Indexer.index(corpus == null ? madeUp() : Corpus.open(Path.of(corpus)), at, 0, count -> {});
        index = SearchIndex.open(at);
        for (int i = 0; i < index.pages(); i++) {
            Page page = index.page(i);
            TITLES.add(page.title());
            LOWER_TITLES.add(page.title().toLowerCase(Locale.ROOT));
            TITLE_STEMS.add(stems(page.title()));
            STEMS.add(stems(page.title() + "\n" + page.text()));
            KNOWN_WORDS.addAll(Words.of(page.text()));
        }
    }

    private static Set<String> stems(String text) {
        return Words.stems(text).stream().map(Words.Word::text).collect(Collectors.toSet());
    }

    @AfterAll
    static void close() throws IOException {
        index.close();
    }

    static List<Arguments> policies() {
        return List.of(
                Arguments.of("colored", Policy.colored()),
                Arguments.of("central", Policy.centralQueue()),
                Arguments.of("cohort", Policy.of("cohort", VisitPolicy.cohort())),
                Arguments.of("mg1", Policy.of("mg1", VisitPolicy.mg1())),
                Arguments.of("srpt", Policy.of("srpt", VisitPolicy.srpt())),
                Arguments.of("seda", Policy.of("seda", PoolPolicy.perStage(2))));
    }

    private void start(Policy policy, long cacheBytes) {
        MelyBuilder builder = Mely.builder().cores(2).policy(policy).errorHandler(failure -> {
            Search search = SearchStages.of(failure.event());
            if (search != null) {
                search.fail();
            }
        });
        mely = builder.build();
        stages = new SearchStages(StageFactory.of(mely), cacheBytes);
        mely.start();
    }

    @AfterEach
    void stop() {
        mely.close(Duration.ofSeconds(60));
    }

    private CompletableFuture<Search.Answer> ask(String query, boolean takesGzip, boolean isJson) {
        CompletableFuture<Search.Answer> answer = new CompletableFuture<>();
        Search search = new Search(query, mely.color(query.hashCode()), index, takesGzip, isJson, answer::complete);
        assertThat(stages.begin(search)).isTrue();
        return answer;
    }

    private Search.Answer answer(String query) throws Exception {
        return ask(query, false, false).get(60, TimeUnit.SECONDS);
    }

    // ------------------------------------------------------------------ what a scan finds

    private static int[] titled(String query) {
        int[] exact = pages(i -> TITLES.get(i).equals(query));
        return exact.length > 0
                ? exact
                : pages(i -> TITLES.get(i).toLowerCase(Locale.ROOT).equals(query.toLowerCase(Locale.ROOT)));
    }

    private static int[] pages(java.util.function.IntPredicate filter) {
        return IntStream.range(0, TITLES.size()).filter(filter).toArray();
    }

    /** Those whose title has all stems first. */
    private static int[] scanned(Set<String> stems) {
        int[] inTitle = pages(i -> TITLE_STEMS.get(i).containsAll(stems));
        int[] only = pages(
                i -> STEMS.get(i).containsAll(stems) && !TITLE_STEMS.get(i).containsAll(stems));
        return IntStream.concat(Arrays.stream(inTitle), Arrays.stream(only)).toArray();
    }

    private static int[] firstTen(int[] pages) {
        return Arrays.copyOf(pages, Math.min(10, pages.length));
    }

    private static String words(SplittableRandom random, int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> KNOWN_WORDS.get(random.nextInt(KNOWN_WORDS.size())))
                .collect(Collectors.joining(" "));
    }

    /** Words that are together no title, and have so many stems: one, or two at least. */
    private static String search(SplittableRandom random, int stemsMin, int wordsMax) {
        while (true) {
            String query = words(random, stemsMin + random.nextInt(wordsMax - stemsMin + 1));
            int stems = stems(query).size();
            if (!LOWER_TITLES.contains(query) && stems >= stemsMin && (stems == 1) == (stemsMin == 1)) {
                return query;
            }
        }
    }

    // 1,000 random queries of each path, some of them at a time.
    @ParameterizedTest(name = "{0}")
    @MethodSource("policies")
    void answers_areThoseOfAScan(String name, Policy policy) throws Exception {
        start(policy, 1 << 20);
        SplittableRandom random = new SplittableRandom(3);
        List<String> queries = new ArrayList<>();
        for (int i = 0; i < QUERIES; i++) {
            queries.add(TITLES.get(random.nextInt(TITLES.size())));
            queries.add(search(random, 1, 1));
            queries.add(search(random, 2, 5));
        }
        int[] byPath = new int[Search.Path.values().length];
        int together = 50;
        for (int from = 0; from < queries.size(); from += together) {
            List<String> some = queries.subList(from, Math.min(queries.size(), from + together));
            List<CompletableFuture<Search.Answer>> answers =
                    some.stream().map(query -> ask(query, false, true)).toList();
            for (int i = 0; i < some.size(); i++) {
                String query = some.get(i);
                Search.Answer answer = answers.get(i).get(60, TimeUnit.SECONDS);
                int[] expected = titled(query.strip());
                boolean isTitle = expected.length > 0;
                Set<String> stems = stems(query);
                if (!isTitle) {
                    expected = stems.isEmpty() ? new int[0] : scanned(stems);
                }
                assertThat(answer.pages()).as(query).isEqualTo(firstTen(expected));
                assertThat(answer.total())
                        .as(query)
                        .isEqualTo(isTitle ? Math.min(10, expected.length) : expected.length);
                assertThat(answer.corrected()).as(query).isNull();
                byPath[pathIndex(answer.path())]++;
            }
        }
        for (Search.Path path : List.of(Search.Path.TITLE, Search.Path.TERM, Search.Path.TERMS)) {
            assertThat(byPath[pathIndex(path)]).as(path.toString()).isEqualTo(QUERIES);
        }
    }

    private static int pathIndex(Search.Path path) {
        return List.of(Search.Path.values()).indexOf(path);
    }

    // ------------------------------------------------------------------ one by one

    @Test
    void unknownWords_areReplacedByWhatSoundsLikeThem_andNotTwice() throws Exception {
        assumeTrue(System.getProperty("mely.search.corpus") == null, "the words are made up");
        start(Policy.colored(), 1 << 20);
        String known = Words.of(TITLES.get(0)).get(0);
        Search.Answer answer = answer(known + known.charAt(known.length() - 1) + " zzqqzz");
        assertThat(answer.corrected()).isEqualTo(known + " zzqqzz");
        assertThat(answer.total()).isZero();
        assertThat(answer("zzqqzz").corrected()).isNull();
        assertThat(new String(answer("zzqqzz").content(), StandardCharsets.UTF_8))
                .contains("Nothing was found.");
    }

    @Test
    void emptyAndCommonAndVeryLongQueries_areAnswered() throws Exception {
        start(Policy.colored(), 1 << 20);
        for (String query :
                List.of("", "   ", "the and of", "\0", "\ud800", "!!! ???", "x".repeat(100_000), "a ".repeat(10_000))) {
            Search.Answer answer = answer(query);
            assertThat(answer).as(query).isNotNull();
            assertThat(answer.total()).isZero();
        }
    }

    @Test
    void results_areEscaped() throws Exception {
        start(Policy.colored(), 1 << 20);
        String page = new String(answer("<script>alert(1)</script>\"'&").content(), StandardCharsets.UTF_8);
        assertThat(page)
                .contains("&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;")
                .doesNotContain("<script>alert");
        String json = new String(
                ask("\"\\</script>\n", false, true).get(60, TimeUnit.SECONDS).content(), StandardCharsets.UTF_8);
        assertThat(json).contains("\"\\\"\\\\\\u003c/script>\\u000a\"");
    }

    @Test
    void compressedAnswers_areTheSame_alsoFromTheCache() throws Exception {
        start(Policy.colored(), 1 << 20);
        String query = words(new SplittableRandom(5), 3);
        for (int i = 0; i < 2; i++) {
            Search.Answer answer = ask(query, true, false).get(60, TimeUnit.SECONDS);
            assertThat(answer.path()).isEqualTo(Search.Path.TERMS);
            assertThat(new GZIPInputStream(new ByteArrayInputStream(answer.compressed())).readAllBytes())
                    .isEqualTo(answer.content())
                    .isEqualTo(answer(query).content());
        }
    }

    @Test
    void cache_isBounded_andOfOneIndex() throws Exception {
        ResultsCache cache = new ResultsCache(10_000);
        start(Policy.colored(), 0);
        for (int i = 0; i < 100; i++) {
            Search search = new Search("q" + i, mely.color(i), index, false, false, answer -> {});
            search.stems = List.of("a", "b");
            search.content = new byte[1_000];
            cache.put(search);
            cache.put(search);
        }
        assertThat(cache.bytes()).isLessThanOrEqualTo(10_000);
        assertThat(cache.size()).isEqualTo(7);
        Search again = new Search("q99", mely.color(1), index, false, false, answer -> {});
        assertThat(cache.find(again)).as("other words").isFalse();
        again.stems = List.of("a", "b");
        assertThat(cache.find(again)).isTrue();
        assertThat(again.content).hasSize(1_000);
        cache.keepOnly(index);
        assertThat(cache.size()).isEqualTo(7);
    }

    // Whoever is told may fail, as when there is no memory for the answer: the query is not ended again.
    @Test
    void query_isEndedOnce() throws Exception {
        start(Policy.colored(), 1 << 20);
        AtomicInteger told = new AtomicInteger();
        Search search = new Search(TITLES.get(0), mely.color(1), index, false, false, answer -> {
            told.incrementAndGet();
            throw new IllegalStateException("planned");
        });
        assertThat(stages.begin(search)).isTrue();
        stop();
        assertThat(told).hasValue(1);
    }

    @Test
    void handlerThatFails_failsTheQuery_andOnlyThat() throws Exception {
        start(Policy.colored(), 1 << 20);
        CompletableFuture<Search.Answer> failed = new CompletableFuture<>();
        @SuppressWarnings("NullAway") // a fault on purpose
        Search broken = new Search("x", mely.color(1), null, false, false, failed::complete);
        assertThat(stages.begin(broken)).isTrue();
        assertThat(failed.get(60, TimeUnit.SECONDS)).isNull();
        assertThat(answer(TITLES.get(0)).path()).isEqualTo(Search.Path.TITLE);
    }
}
