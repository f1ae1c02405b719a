// SPDX-License-Identifier: Apache-2.0
package io.mely.search.corpus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CorpusTest {
    @TempDir
    Path folder;

    static List<Page> pages(Corpus corpus) throws IOException {
        List<Page> pages = new ArrayList<>();
        corpus.sources(source -> {
            Page page = source.read();
            if (page != null) {
                pages.add(page);
            }
        });
        return pages;
    }

    private void write(String name, String text) throws IOException {
        Path file = folder.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    // ------------------------------------------------------------------ dictionaries

    private static final String TEXT = "about itself\ncat\n  an animal\ndog\n  another\n";

    private Path dictionary(String index, boolean isCompressed) throws IOException {
        byte[] text = TEXT.getBytes(StandardCharsets.UTF_8);
        if (isCompressed) {
            try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(folder.resolve("d.dict.dz")))) {
                out.write(text);
            }
        } else {
            Files.write(folder.resolve("d.dict"), text);
        }
        write("d.index", index);
        return folder.resolve("d.index");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void dictionary_hasAPageForEachEntry_withAllItsHeadwords(boolean isCompressed) throws IOException {
        Path index = dictionary("00databaseshort\tA\tM\ncat\tN\tQ\ndog\td\tO\nhound\td\tO\n", isCompressed);
        assertThat(pages(Corpus.open(index)))
                .containsExactly(new Page("cat", "", "cat\n  an animal"), new Page("dog", "", "hound\ndog\n  another"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"cat\tN", "cat\tN\t", "cat\tN\tQ!", "cat\tN\tBAAA", "cat\t////////\tA", "cat\tA\t////////////"})
    void dictionary_withALineThatIsNoEntry_isRefused(String line) throws IOException {
        Path index = dictionary("cat\tN\tQ\n" + line + "\n", false);
        assertThatIOException().isThrownBy(() -> Corpus.open(index)).withMessageContaining("d.index:2: no entry");
    }

    @Test
    void whatIsNoCorpus_isRefused() throws IOException {
        write("x.txt", "x");
        assertThatIOException()
                .isThrownBy(() -> Corpus.open(folder.resolve("x.txt")))
                .withMessageContaining("neither a folder nor");
        assertThatIOException().isThrownBy(() -> Corpus.open(folder.resolve("missing.index")));
    }

    // ------------------------------------------------------------------ sites

    @Test
    void site_hasHtmlMarkdownAndText_withTheAddressesOfAServer() throws IOException {
        write(
                "index.html",
                "<html><head><title>Home &amp; more</title></head><body><script>no()</script><p>Hello <b>you</b></body>");
        write("a b/page.htm", "<h1>Only a heading</h1>text");
        write("doc/read.md", "intro\n\n# The *title*\n\nSome `code` and a [link](x)\n");
        write("doc/notes.txt", "\n first line\nsecond\n");
        write("doc/empty.txt", "");
        write("image.png", "not text");
        write(".hidden/secret.html", "<title>secret</title>");
        write("doc/.draft.md", "# draft");
        write("kept-out.html", "<meta name=robots content='noindex, follow'><title>no</title>");
        assertThat(pages(Corpus.open(folder)))
                .containsExactly(
                        new Page("Only a heading", "/a%20b/page.htm", "Only a heading text"),
                        new Page("empty.txt", "/doc/empty.txt", ""),
                        new Page("first line", "/doc/notes.txt", "\n first line\nsecond\n"),
                        new Page("The title", "/doc/read.md", "intro\nThe title\nSome \"code\" and a \"link\" (x)"),
                        new Page("Home & more", "/", "Hello you"));
    }

    @Test
    void site_doesNotFollowLinks(@TempDir Path outside) throws IOException {
        Files.writeString(outside.resolve("secret.txt"), "secret");
        Files.createSymbolicLink(folder.resolve("link.txt"), outside.resolve("secret.txt"));
        Files.createSymbolicLink(folder.resolve("folder"), outside);
        assertThat(pages(Corpus.open(folder))).isEmpty();
    }
}
