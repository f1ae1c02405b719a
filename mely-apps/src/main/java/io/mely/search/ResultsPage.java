// SPDX-License-Identifier: Apache-2.0
package io.mely.search;

import io.mely.search.corpus.Page;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Writes results for people: a page that needs no script, and is better with one. */
final class ResultsPage {
    private static final String START = """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>%s</title>
            <link rel="stylesheet" href="/search.css">
            <script src="/search.js" defer></script>
            </head>
            <body>
            <form action="/search" role="search">
            <input id="query" name="q" type="search" value="%s" aria-label="Search" autocomplete="off" autocapitalize="off" spellcheck="false" role="combobox" aria-expanded="false" aria-controls="suggestions" aria-autocomplete="list"%s>
            <button>Search</button>
            <ul id="suggestions" role="listbox" hidden></ul>
            </form>
            <main>
            """;

    private static final String END = """
            </main>
            </body>
            </html>
            """;

    private ResultsPage() {}

    /** Before anything was asked. */
    static byte[] empty() {
        return (START.formatted("Search", "", " autofocus") + END).getBytes(StandardCharsets.UTF_8);
    }

    static byte[] of(Search search) {
        return of(search.asked, search.corrected, search.total, search.pages, search.stems);
    }

    static byte[] of(String query, @Nullable String corrected, int total, List<Page> pages, List<String> stems) {
        String asked = Escapes.html(query.strip());
        StringBuilder page = new StringBuilder(START.formatted(asked + " - Search", asked, ""));
        if (corrected != null) {
            page.append("<p>Results for <a href=\"/search?q=")
                    .append(URLEncoder.encode(corrected, StandardCharsets.UTF_8))
                    .append("\"><em>")
                    .append(Escapes.html(corrected))
                    .append("</em></a>. No page has what you asked for.</p>\n");
        }
        page.append("<p class=\"total\" role=\"status\">")
                .append(total(total, pages.size()))
                .append("</p>\n<ol>\n");
        for (Page found : pages) {
            append(page, found, stems);
        }
        return page.append("</ol>\n").append(END).toString().getBytes(StandardCharsets.UTF_8);
    }

    private static String total(int total, int shown) {
        if (total == 0) {
            return "Nothing was found.";
        }
        String pages = total == 1 ? "1 page" : String.format(Locale.ROOT, "%,d pages", total);
        return total > shown ? pages + ", the first " + shown : pages;
    }

    private static void append(StringBuilder page, Page found, List<String> stems) {
        Snippet title = Snippet.of(found.title(), stems);
        page.append("<li><h2>");
        if (found.address().isEmpty()) {
            appendMarked(page, title);
        } else {
            page.append("<a href=\"").append(Escapes.html(found.address())).append("\">");
            appendMarked(page, title);
            page.append("</a>");
        }
        page.append("</h2>\n<p>");
        Snippet text = Snippet.of(found.text(), stems);
        page.append(text.isBegin() ? "" : "... ");
        appendMarked(page, text);
        page.append(text.isEnd() ? "" : " ...").append("</p></li>\n");
    }

    private static void appendMarked(StringBuilder page, Snippet snippet) {
        for (int i = 0; i < snippet.parts().size(); i++) {
            String part = Escapes.html(snippet.parts().get(i));
            page.append(i % 2 == 1 ? "<mark>" + part + "</mark>" : part);
        }
    }
}
