// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.files;

import io.mely.sws.http.HttpDate;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/**
 * How a list of files is written: a page, where every name is encoded in its link and escaped in its text; or JSON in the form of nginx's autoindex_format.
 *
 * <p><b>Threads.</b> Any; immutable.
 */
abstract class ListingFormat {
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

    /** What stands before the first line. */
    abstract byte[] start();

    /** A line. */
    abstract byte[] line(ListingLine line, boolean isFirst);

    /** What stands behind the last. */
    abstract byte[] end(boolean isCut);

    /** A page for people. */
    static ListingFormat page(String path) {
        return new Page(path);
    }

    /** An array for programs. */
    static ListingFormat json() {
        return new Json();
    }

    private static final class Page extends ListingFormat {
        private final byte[] start;

        Page(String path) {
            String title = "Index of " + escape(path);
            start = utf8("<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\">"
                    + "<meta name=\"viewport\" content=\"width=device-width\"><title>" + title + "</title>" + STYLE
                    + "</head>\n<body><h1>" + title
                    + "</h1>\n<table>\n<tr><th>Name</th><th>Bytes</th><th>Changed (UTC)</th></tr>\n"
                    + (path.length() > 1 ? "<tr><td><a href=\"../\">../</a></td><td></td><td></td></tr>\n" : ""));
        }

        @Override
        byte[] start() {
            return start;
        }

        @Override
        byte[] line(ListingLine line, boolean isFirst) {
            String slash = line.isFolder() ? "/" : "";
            return utf8("<tr><td><a href=\"./" + escape(UriText.encode(line.name())) + slash + "\">"
                    + escape(line.name()) + slash + "</a></td><td>" + (line.isFolder() ? "" : line.size()) + "</td><td>"
                    + TIME.format(Instant.ofEpochMilli(line.modifiedMs())) + "</td></tr>\n");
        }

        @Override
        byte[] end(boolean isCut) {
            String cut = isCut ? "<p>Only " + FolderListing.NAMES_MAX + " names are shown.</p>\n" : "";
            return utf8("</table>\n" + cut + "</body>\n</html>\n");
        }
    }

    private static final class Json extends ListingFormat {
        @Override
        byte[] start() {
            return utf8("[\n");
        }

        @Override
        byte[] line(ListingLine line, boolean isFirst) {
            return utf8((isFirst ? "" : ",\n") + "{\"name\":\"" + quote(line.name()) + "\",\"type\":\""
                    + (line.isFolder() ? "directory" : "file") + "\",\"mtime\":\""
                    + HttpDate.format(Math.floorDiv(line.modifiedMs(), 1000L)) + '"'
                    + (line.isFolder() ? "" : ",\"size\":" + line.size()) + '}');
        }

        @Override
        byte[] end(boolean isCut) {
            return utf8("\n]\n");
        }
    }

    /** RFC 8259 7; HTML's own letters too, in case somebody takes it for a page. */
    private static String quote(String text) {
        StringBuilder quoted = new StringBuilder(text.length() + 16);
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (isUnseen(c) || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&') {
                quoted.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
            } else {
                quoted.append(c);
            }
        }
        return quoted.toString();
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
                default -> escaped.append(isUnseen(c) ? '\ufffd' : c);
            }
        }
        return escaped.toString();
    }

    /** Control characters, and the marks that turn the direction of what follows: a name could show another extension than it has. */
    private static boolean isUnseen(char c) {
        return c < ' '
                || c == 0x7f
                || c == '\u061c'
                || c == '\u200e'
                || c == '\u200f'
                || (c >= '\u202a' && c <= '\u202e')
                || (c >= '\u2066' && c <= '\u2069');
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
