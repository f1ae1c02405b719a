// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stages;

import io.mely.search.corpus.Page;
import io.mely.search.index.SearchIndex;
import io.mely.search.index.Words;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Queries of people who look for the pages of an index, few pages often and many rarely: by its title, by one of its words, or by several.
 *
 * <p>Which page is drawn by Zipf's law with exponent 1. The shares of the ways of asking are those of the simulated search engine, guesses there and here: the thesis has none. <b>Source.</b> spec: stages §10.2.
 */
final class Queries {
    private static final int PAGES_MAX = 100_000;
    private static final double TITLE_SHARE = 0.6;
    private static final double SINGLE_SHARE = 0.25; // of searches
    private static final double MISSPELLED_SHARE = 0.1; // of searches
    private static final int WORDS_MAX = 3;

    private final SearchIndex index;
    private final SplittableRandom random;
    private final int[] pages;
    private final double[] upTo; // sum of the weights up to a rank

    private Queries(SearchIndex index, long seed) {
        this.index = index;
        random = new SplittableRandom(seed);
        pages = shuffled(index.pages());
        upTo = new double[Math.min(PAGES_MAX, pages.length)];
        double sum = 0;
        for (int rank = 0; rank < upTo.length; rank++) {
            sum += 1.0 / (rank + 1);
            upTo[rank] = sum;
        }
    }

    /** So many queries, the same for a seed. */
    static List<String> of(SearchIndex index, int count, long seed) throws IOException {
        Queries queries = new Queries(index, seed);
        List<String> all = new ArrayList<>(count);
        while (all.size() < count) {
            all.add(queries.next());
        }
        return all;
    }

    private int[] shuffled(int count) {
        int[] numbers = new int[count];
        for (int i = 0; i < count; i++) {
            int with = random.nextInt(i + 1);
            numbers[i] = numbers[with];
            numbers[with] = i;
        }
        return numbers;
    }

    private String next() throws IOException {
        double drawn = random.nextDouble() * upTo[upTo.length - 1];
        int rank = Arrays.binarySearch(upTo, drawn);
        Page page = index.page(pages[rank < 0 ? -rank - 1 : rank]);
        if (random.nextDouble() < TITLE_SHARE) {
            return page.title();
        }
        List<String> words = new ArrayList<>(Words.of(page.title() + ' ' + page.text()));
        words.removeIf(Words::isCommon);
        if (words.isEmpty()) {
            return page.title();
        }
        int count = random.nextDouble() < SINGLE_SHARE ? 1 : 2 + random.nextInt(WORDS_MAX - 1);
        List<String> asked = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            asked.add(words.get(random.nextInt(words.size())));
        }
        if (random.nextDouble() < MISSPELLED_SHARE) {
            asked.set(0, misspelled(asked.get(0)));
        }
        return String.join(" ", asked);
    }

    /** With one letter twice: it sounds the same. */
    private String misspelled(String word) {
        int at = random.nextInt(word.length());
        return word.substring(0, at + 1) + word.substring(at);
    }
}
