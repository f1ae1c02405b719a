// SPDX-License-Identifier: Apache-2.0
package io.mely.search;

import io.mely.search.corpus.Page;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;

/** Writes results for programs. */
final class ResultsJson {
    private ResultsJson() {}

    static byte[] of(Search search) {
        String results = search.pages.stream()
                .map(page -> "{\"title\":" + Escapes.json(page.title()) + ",\"address\":" + Escapes.json(page.address())
                        + ",\"snippet\":" + Escapes.json(snippet(search, page)) + "}")
                .collect(Collectors.joining(","));
        String corrected = search.corrected == null ? "null" : Escapes.json(search.corrected);
        String text = "{\"asked\":" + Escapes.json(search.asked) + ",\"corrected\":" + corrected + ",\"total\":"
                + search.total + ",\"results\":[" + results + "]}\n";
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String snippet(Search search, Page page) {
        return String.join("", Snippet.of(page.text(), search.stems).parts());
    }

    static byte[] suggestions(List<String> titles) {
        String text = titles.stream().map(Escapes::json).collect(Collectors.joining(",", "[", "]\n"));
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
