// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.report;

import java.util.List;
import java.util.Map;

/** An HTML page that needs nothing else. Texts are escaped here, pictures are taken as they are. */
public final class Page {
    private final StringBuilder out = new StringBuilder();

    /**
     * Begins a page.
     *
     * @param title of the page
     * @param environment names and values, folded away
     */
    public Page(String title, Map<String, String> environment) {
        out.append("""
                <!DOCTYPE html>
                <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>%1$s</title><style>
                :root { color-scheme: light }
                body { font: 15px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 82em; padding: 0 1em; color: #1b1f24; background: #fff }
                table { border-collapse: collapse; font-size: 13px; margin: .5em 0 } td, th { padding: .15em .6em; text-align: right; border-bottom: 1px solid #ddd; white-space: nowrap }
                td:first-child, th:first-child { text-align: left } .note { color: #57606a } .table { overflow-x: auto } svg { max-width: 100%% } svg text { font: 13px system-ui, sans-serif }
                pre { font-size: 13px; overflow-x: auto } .bad { color: #b42318; font-weight: 600 } h2 { margin: 2em 0 .3em; border-top: 1px solid #ddd; padding-top: .6em }
                </style></head><body><h1>%1$s</h1>
                """.formatted(escape(title)));
        out.append("<details class=\"note\"><summary>")
                .append(escape(environment.getOrDefault("java", "")))
                .append("; ")
                .append(escape(environment.getOrDefault("cpu model", "")))
                .append(", ")
                .append(escape(environment.getOrDefault("cpus", "?")))
                .append(" CPUs; load at start ")
                .append(escape(environment.getOrDefault("load at start", "?")))
                .append("</summary>\n");
        environment.forEach((name, value) ->
                out.append(escape(name)).append(": ").append(escape(value)).append("<br>\n"));
        out.append("</details>\n");
    }

    /** A heading of the second level. */
    public Page heading(String text) {
        out.append("<h2>").append(escape(text)).append("</h2>\n");
        return this;
    }

    /** A paragraph in grey. */
    public Page note(String text) {
        out.append("<p class=\"note\">").append(escape(text)).append("</p>\n");
        return this;
    }

    /** A paragraph that says that something is wrong. */
    public Page bad(String text) {
        out.append("<p class=\"bad\">").append(escape(text)).append("</p>\n");
        return this;
    }

    /** Text as it is. Nothing if it is empty. */
    public Page preformatted(String text) {
        if (!text.isEmpty()) {
            out.append("<pre>").append(escape(text)).append("</pre>\n");
        }
        return this;
    }

    /**
     * A table.
     *
     * @param titles of the columns, of which the first is set to the left
     * @param rows as many cells as titles
     */
    public Page table(List<String> titles, List<List<String>> rows) {
        out.append("<div class=\"table\"><table><tr>");
        titles.forEach(t -> out.append("<th>").append(escape(t)).append("</th>"));
        out.append("</tr>\n");
        for (List<String> row : rows) {
            out.append("<tr>");
            row.forEach(c -> out.append("<td>").append(escape(c)).append("</td>"));
            out.append("</tr>\n");
        }
        out.append("</table></div>\n");
        return this;
    }

    /** A picture, which has escaped its own texts. */
    public Page svg(String svg) {
        out.append(svg);
        return this;
    }

    /** The whole page. */
    public String html() {
        return out + "</body></html>\n";
    }

    /** For texts inside of elements and attributes. */
    public static String escape(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}
