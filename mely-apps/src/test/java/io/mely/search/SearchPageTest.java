// SPDX-License-Identifier: Apache-2.0
package io.mely.search;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.admin.Browser;
import io.mely.search.corpus.Corpus;
import io.mely.search.index.IndexFolder;
import io.mely.search.index.Indexer;
import io.mely.sws.SwsConfig;
import io.mely.sws.SwsSettings;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

// The search page in a browser, by the keyboard alone. -Dmely.argLine=-Dmely.screenshots=DIR keeps what was seen.
@Tag("any-jdk")
@Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SearchPageTest {
    private static final int PAGES = 200;

    @TempDir
    Path temp;

    private Browser browser;
    private SearchServer server;

    @BeforeEach
    void open() throws Exception {
        browser = Browser.start(temp.resolve("profile"));
        IndexFolder folder = new IndexFolder(temp.resolve("index"));
        int unused = Indexer.index(Corpus.demo(PAGES), folder, 1, count -> {});
        SwsConfig http = SwsConfig.builder(Files.createDirectories(temp.resolve("site")))
                .bind(new InetSocketAddress("127.0.0.1", 0))
                .set(SwsSettings.CORES, 2)
                .build();
        server = SearchServer.start(new SearchServer.Config(http, folder, 1 << 20, false, Duration.ZERO));
        browser.open("http://127.0.0.1:" + server.localAddress().getPort() + "/");
    }

    @AfterEach
    void close() throws Exception {
        if (browser != null) {
            browser.close();
        }
        if (server != null) {
            assertThat(server.close(Duration.ofSeconds(30))).isTrue();
        }
    }

    private void keep(String name) throws Exception {
        String dir = System.getProperty("mely.screenshots");
        if (dir != null) {
            Files.write(Path.of(dir, name), browser.screenshot());
        }
    }

    @Test
    void misspelledWords_areCorrected_andSaidSo() throws Exception {
        browser.await("the box has the focus", "document.activeElement.id === 'query'");
        browser.type("beatle foreste" + Browser.ENTER);
        browser.await("there are results", "document.querySelectorAll('ol > li').length > 0");
        assertThat(browser.is("document.body.innerText.includes('beetle forest')"))
                .as(browser.value("document.body.innerText"))
                .isTrue();
        assertThat(browser.is("document.querySelectorAll('ol mark').length > 0"))
                .isTrue();
        assertThat(browser.console()).isEmpty();
        keep("search-results.png");
    }

    @Test
    void suggestion_isChosenByArrows_andLeadsToItsPage() throws Exception {
        browser.type("golden");
        browser.await("titles are suggested", "document.querySelectorAll('#suggestions li').length > 1");
        keep("search-suggestions.png");
        browser.type(Browser.ESCAPE);
        browser.await("Escape hides them", "document.querySelector('#suggestions').hidden");
        browser.type(" ");
        browser.type("h");
        browser.await("more letters ask again", "document.querySelectorAll('#suggestions li').length > 0");
        browser.type(Browser.ARROW_DOWN);
        browser.await(
                "the first is chosen",
                "document.querySelector('#suggestions li').getAttribute('aria-selected') === 'true'");
        String chosen = browser.value("document.querySelector('#suggestions li').textContent");
        browser.type(Browser.ENTER);
        browser.await("it is searched", "document.querySelectorAll('ol > li').length === 1");
        assertThat(browser.value("document.getElementById('query').value")).isEqualTo(chosen);
        browser.type("/");
        browser.await("/ goes to the box", "document.activeElement.id === 'query'");
        assertThat(browser.console()).isEmpty();
    }

    /** The answer is held until the list was closed: it must not open it again. */
    @Test
    void escape_beforeTheAnswer_keepsTheListClosed() throws Exception {
        browser.type("g");
        browser.await("titles are suggested", "document.querySelectorAll('#suggestions li').length > 1");
        String unused = browser.value("""
                (() => {
                  window.fetch = () => new Promise(answer => {
                    window.answer = () => answer({ ok: true, json: async () => ['too late'] });
                  });
                })()""");
        browser.type("o");
        browser.await("it was asked", "window.answer");
        browser.type(Browser.ESCAPE);
        unused = browser.value("(() => { answer(); setTimeout(() => { window.isRead = true; }, 0); })()");
        browser.await("the page has read the answer", "window.isRead");
        assertThat(browser.is("document.querySelector('#suggestions').hidden")).isTrue();
        assertThat(browser.console()).isEmpty();
    }
}
