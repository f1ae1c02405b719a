// SPDX-License-Identifier: Apache-2.0
package io.mely.search;

import io.mely.search.index.Words;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * A part of a text around the words that were asked for.
 *
 * @param parts of it, in their order; every second one, from the second on, is such a word
 * @param isBegin whether it begins where the text does
 * @param isEnd whether it ends where the text does
 */
record Snippet(List<String> parts, boolean isBegin, boolean isEnd) {
    /** Letters shown: two lines. */
    private static final int LETTERS = 240;

    /** Letters before the first word found. */
    private static final int LEAD = 60;

    /** Further letters of a text are not looked at: the analysis takes a microsecond for each twenty. */
    private static final int READ_MAX = 20_000;

    static Snippet of(String wholeText, Collection<String> stems) {
        String text = wholeText.length() <= READ_MAX ? wholeText : wholeText.substring(0, READ_MAX);
        List<Words.Word> hits = Words.stems(text).stream()
                .filter(word -> stems.contains(word.text()))
                .toList();
        int first = hits.isEmpty() ? 0 : hits.get(0).start();
        int from = first <= LETTERS - LEAD ? 0 : wordFrom(text, first - LEAD);
        int end = from + LETTERS >= text.length() ? text.length() : wordEnd(text, from + LETTERS, from);
        List<String> parts = new ArrayList<>();
        int at = from;
        for (Words.Word hit : hits) {
            if (hit.start() >= at && hit.end() <= end) {
                parts.add(oneLine(text.substring(at, hit.start())));
                parts.add(oneLine(text.substring(hit.start(), hit.end())));
                at = hit.end();
            }
        }
        parts.add(oneLine(text.substring(at, end)));
        return new Snippet(parts, from == 0, end == wholeText.length());
    }

    private static int wordFrom(String text, int about) {
        int at = about;
        while (at < text.length() && !Character.isWhitespace(text.charAt(at))) {
            at++;
        }
        return at >= text.length() ? about : at + 1;
    }

    private static int wordEnd(String text, int about, int from) {
        int at = about;
        while (at > from && !Character.isWhitespace(text.charAt(at))) {
            at--;
        }
        return at == from ? about : at;
    }

    private static String oneLine(String text) {
        return text.replaceAll("\\s+", " ");
    }
}
