// SPDX-License-Identifier: Apache-2.0
package io.mely.search.corpus;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.Heading;
import org.commonmark.node.Node;
import org.commonmark.parser.Parser;
import org.commonmark.renderer.text.TextContentRenderer;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.jspecify.annotations.Nullable;

/**
 * A folder of HTML, Markdown and text files: a site. Addresses are those that a web server has for its root; {@code index.html} is its folder's.
 *
 * <p>Hidden files and links are left out, as SWS leaves them out. So is what says {@code <meta name="robots" content="noindex">}. <b>Bounds.</b> A file of more than 16 MiB is no page.
 */
final class SiteFolder implements Corpus {
    private static final long FILE_BYTES_MAX = 16 << 20;
    private static final Parser MARKDOWN = Parser.builder().build();
    private static final TextContentRenderer PLAIN =
            TextContentRenderer.builder().build();

    private final Path root;

    SiteFolder(Path root) {
        this.root = root;
    }

    @Override
    public void sources(Sink sink) throws IOException {
        List<Path> files = new ArrayList<>();
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
                return !folder.equals(root) && isHidden(folder)
                        ? FileVisitResult.SKIP_SUBTREE
                        : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                if (attributes.isRegularFile()
                        && attributes.size() <= FILE_BYTES_MAX
                        && !isHidden(file)
                        && !kind(file).isEmpty()) {
                    files.add(file);
                }
                return FileVisitResult.CONTINUE;
            }
        });
        Collections.sort(files);
        for (Path file : files) {
            sink.take(() -> page(file));
        }
    }

    private static boolean isHidden(Path path) {
        return path.getFileName().toString().startsWith(".");
    }

    /** {@code html}, {@code md} or {@code txt}; empty for another. */
    private static String kind(Path file) {
        String name = file.getFileName().toString().toLowerCase(Locale.ROOT);
        return switch (name.substring(name.lastIndexOf('.') + 1)) {
            case "html", "htm", "xhtml" -> "html";
            case "md", "markdown" -> "md";
            case "txt" -> "txt";
            default -> "";
        };
    }

    private @Nullable Page page(Path file) throws IOException {
        return switch (kind(file)) {
            case "html" -> html(file);
            case "md" -> markdown(file);
            default -> plain(file);
        };
    }

    private @Nullable Page html(Path file) throws IOException {
        Document document = Jsoup.parse(file.toFile(), null); // finds the charset
        String robots = document.select("meta[name=robots]").attr("content").toLowerCase(Locale.ROOT);
        if (robots.contains("noindex")) {
            return null;
        }
        document.select("script, style, nav, template, noscript").remove();
        String title = document.title().isBlank() ? document.select("h1").text() : document.title();
        return new Page(titleOr(title, file), address(file), document.body().text());
    }

    private Page markdown(Path file) throws IOException {
        Node document = MARKDOWN.parse(text(file));
        String[] title = {""};
        document.accept(new AbstractVisitor() {
            @Override
            public void visit(Heading heading) {
                if (title[0].isEmpty()) {
                    title[0] = PLAIN.render(heading).strip();
                }
            }
        });
        return new Page(titleOr(title[0], file), address(file), PLAIN.render(document));
    }

    private Page plain(Path file) throws IOException {
        String text = text(file);
        String first = text.lines().filter(line -> !line.isBlank()).findFirst().orElse("");
        return new Page(titleOr(first, file), address(file), text);
    }

    private static String text(Path file) throws IOException {
        return new String(Files.readAllBytes(file), StandardCharsets.UTF_8); // wrong bytes become question marks
    }

    private static String titleOr(String title, Path file) {
        return title.isBlank() ? file.getFileName().toString() : title.strip();
    }

    private String address(Path file) {
        StringBuilder path = new StringBuilder();
        for (Path name : root.relativize(file)) {
            path.append('/').append(name);
        }
        if (path.toString().endsWith("/index.html")) {
            path.setLength(path.length() - "index.html".length());
        }
        try {
            return new URI(null, null, path.toString(), null).toASCIIString();
        } catch (URISyntaxException e) {
            throw new IllegalStateException("a path is one", e);
        }
    }
}
