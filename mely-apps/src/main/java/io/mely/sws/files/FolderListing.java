// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.files;

import io.mely.sws.http.HttpDate;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Writes a page of the files of a folder: every name is encoded in its link and escaped in its text, hidden names are left out.
 *
 * <p><b>Threads.</b> Any. <b>Costs.</b> One stat a name. <b>Bounds.</b> {@link #NAMES_MAX} names.
 */
final class FolderListing {
    /** Most names on a page: a guess that keeps the page below some MB. */
    static final int NAMES_MAX = 10_000;

    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm", Locale.ROOT).withZone(ZoneOffset.UTC);

    /** Light or dark as the reader has it; figures under each other. */
    private static final String STYLE = "<style>:root{color-scheme:light dark}"
            + "body{font:16px/1.5 system-ui,sans-serif;max-width:60em;margin:2em auto;padding:0 1em}"
            + "h1{font-size:1.4em;overflow-wrap:anywhere}table{width:100%;border-collapse:collapse}"
            + "th{text-align:left}th,td{padding:.2em .6em;border-bottom:1px solid #8884}"
            + "td:first-child{overflow-wrap:anywhere}"
            + "td+td,th+th{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}"
            + "a{text-decoration:none}a:hover{text-decoration:underline}</style>";

    private final SafeOpener opener;

    FolderListing(SafeOpener opener) {
        this.opener = opener;
    }

    /** One line of a page. */
    private record Line(String name, String link, boolean isFolder, long size, long modifiedMs) {}

    byte[] page(String path, Path folder) throws IOException {
        List<SafeOpener.Name> names = opener.list(folder, NAMES_MAX);
        StringBuilder page = new StringBuilder(512 + names.size() * 128);
        String title = "Index of " + escape(path);
        page.append("<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\">")
                .append("<meta name=\"viewport\" content=\"width=device-width\"><title>")
                .append(title)
                .append("</title>")
                .append(STYLE)
                .append("</head>\n<body><h1>")
                .append(title)
                .append("</h1>\n<table>\n<tr><th>Name</th><th>Bytes</th><th>Changed (UTC)</th></tr>\n");
        if (path.length() > 1) {
            page.append("<tr><td><a href=\"../\">../</a></td><td></td><td></td></tr>\n");
        }
        lines(names).forEach(line -> append(page, line));
        page.append("</table>\n");
        if (names.size() == NAMES_MAX) {
            page.append("<p>Only ").append(NAMES_MAX).append(" names are shown.</p>\n");
        }
        return page.append("</body>\n</html>\n").toString().getBytes(StandardCharsets.UTF_8);
    }

    /** Folders first, each kind by name; what is hidden is left out. */
    private static Stream<Line> lines(List<SafeOpener.Name> names) {
        return names.stream()
                .map(FolderListing::line)
                .filter(line -> !line.name.startsWith("."))
                .sorted(Comparator.comparing((Line line) -> !line.isFolder).thenComparing(Line::name));
    }

    /** An array in the form of nginx's autoindex_format json. */
    byte[] json(Path folder) throws IOException {
        return lines(opener.list(folder, NAMES_MAX))
                .map(FolderListing::object)
                .collect(Collectors.joining(",\n", "[\n", "\n]\n"))
                .getBytes(StandardCharsets.UTF_8);
    }

    private static String object(Line line) {
        return "{\"name\":\"" + quote(line.name) + "\",\"type\":\"" + (line.isFolder ? "directory" : "file")
                + "\",\"mtime\":\"" + HttpDate.format(Math.floorDiv(line.modifiedMs, 1000L)) + '"'
                + (line.isFolder ? "" : ",\"size\":" + line.size) + '}';
    }

    /** RFC 8259 7; HTML's own letters too, in case somebody takes it for a page. */
    private static String quote(String text) {
        StringBuilder quoted = new StringBuilder(text.length() + 16);
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < ' ' || c == 0x7f || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&') {
                quoted.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
            } else {
                quoted.append(c);
            }
        }
        return quoted.toString();
    }

    private static void append(StringBuilder page, Line line) {
        String slash = line.isFolder ? "/" : "";
        page.append("<tr><td><a href=\"./")
                .append(escape(line.link))
                .append(slash)
                .append("\">")
                .append(escape(line.name))
                .append(slash)
                .append("</a></td><td>")
                .append(line.isFolder ? "" : Long.toString(line.size))
                .append("</td><td>")
                .append(TIME.format(Instant.ofEpochMilli(line.modifiedMs)))
                .append("</td></tr>\n");
    }

    /** A name's bytes come out of its URI whatever the locale; the text of a Path does not. */
    private static Line line(SafeOpener.Name name) {
        String uri = Path.of("/").resolve(name.name()).toUri().getRawPath();
        String raw = uri.endsWith("/") ? uri.substring(1, uri.length() - 1) : uri.substring(1);
        String text = URLDecoder.decode(raw.replace("+", "%2B"), StandardCharsets.UTF_8);
        return new Line(text, raw, name.isFolder(), name.size(), name.modifiedMs());
    }

    static String escape(String text) {
        StringBuilder escaped = new StringBuilder(text.length() + 16);
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '&' -> escaped.append("&amp;");
                case '<' -> escaped.append("&lt;");
                case '>' -> escaped.append("&gt;");
                case '"' -> escaped.append("&quot;");
                case '\'' -> escaped.append("&#39;");
                default -> escaped.append(c < ' ' || c == 0x7f ? '\ufffd' : c);
            }
        }
        return escaped.toString();
    }
}
