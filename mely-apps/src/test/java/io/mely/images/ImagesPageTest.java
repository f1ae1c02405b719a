// SPDX-License-Identifier: Apache-2.0
package io.mely.images;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.admin.Browser;
import io.mely.images.picture.PictureFormat;
import io.mely.images.picture.TestPictures;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The page in a browser: pictures that are added are uploaded, followed and shown beside the original, refusals are said, and the policy of content is kept.
 * -Dmely.argLine=-Dmely.screenshots=DIR keeps what was seen.
 */
@Tag("any-jdk")
@Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ImagesPageTest extends ImagesHarness {
    private Browser browser;

    @BeforeEach
    void openBrowser() throws Exception {
        start();
        browser = Browser.start(temp.resolve("profile"));
        browser.open("http://127.0.0.1:" + server.localAddress().getPort() + "/");
    }

    @AfterEach
    void closeBrowser() throws Exception {
        if (browser != null) {
            browser.close();
        }
    }

    private void await(String expression) throws Exception {
        browser.await(expression, expression);
    }

    /** As if files had been chosen. */
    private void choose(String name, byte[] content) throws Exception {
        String base64 = Base64.getEncoder().encodeToString(content);
        browser.value("(() => { const files = new DataTransfer();"
                + " files.items.add(new File([Uint8Array.from(atob('" + base64 + "'), c => c.charCodeAt(0))], '" + name
                + "')); const chooser = document.getElementById('files'); chooser.files = files.files;"
                + " chooser.dispatchEvent(new Event('change')); return true; })()");
    }

    @Test
    void pictures_areUploadedAndCompared() throws Exception {
        choose("<b>a.png", TestPictures.file(TestPictures.photo(400, 300, 1), PictureFormat.PNG));
        await("document.querySelector('.compare:not([hidden]) .after')?.naturalWidth === 300");
        assertThat(browser.value("document.querySelector('h2').textContent === '<b>a.png'"))
                .isEqualTo("true");
        assertThat(browser.value("document.querySelector('.before').naturalWidth"))
                .isEqualTo("400");
        assertThat(browser.value("document.querySelectorAll('tbody tr').length"))
                .isEqualTo("" + RECIPE.files());

        String dir = System.getProperty("mely.screenshots");
        if (dir != null) {
            Files.write(Path.of(dir, "images.png"), browser.screenshot());
        }
        // The slider moves the divider, and another version is another picture.
        browser.value("(() => { const s = document.querySelector('input[type=range]'); s.value = 10;"
                + " s.dispatchEvent(new Event('input')); return true; })()");
        assertThat(browser.value("document.querySelector('.cut').style.width")).isEqualTo("\"10%\"");
        browser.value("(() => { const s = document.querySelector('select');"
                + " s.selectedIndex = [...s.options].findIndex(o => o.text.startsWith('small'));"
                + " s.dispatchEvent(new Event('change')); return true; })()");
        await("document.querySelector('.after').naturalWidth === 40");
        assertThat(browser.console()).isEmpty();
    }

    @Test
    void refusals_areSaid_andOthersGoOn() throws Exception {
        choose("notes.txt", new byte[] {'t', 'e', 'x', 't'});
        choose("b.jpg", TestPictures.file(TestPictures.photo(200, 150, 1), PictureFormat.JPEG));
        await("document.querySelector('.refused .state')?.textContent === 'refused: no JPEG, PNG or WebP'");
        await("document.querySelectorAll('.compare:not([hidden])').length === 1");
    }

    // What there is already is shown, without an original.
    @Test
    void newestPictures_areListed() throws Exception {
        finished(id(TestPictures.file(TestPictures.photo(200, 150, 1), PictureFormat.PNG)));
        browser.open("http://127.0.0.1:" + server.localAddress().getPort() + "/");
        await("document.querySelector('.compare:not([hidden]) .after')?.naturalWidth === 200");
        assertThat(browser.value("document.querySelector('.cut').hidden")).isEqualTo("true");
    }

    // The keyboard reaches the file button first; each control has a name.
    @Test
    void controls_areReachedByTheKeyboard() throws Exception {
        assertThat(browser.value("(document.getElementById('files').focus(), document.activeElement.id)"))
                .isEqualTo("\"files\"");
        assertThat(browser.value("document.getElementById('files').labels.length"))
                .isEqualTo("1");
        assertThat(
                        browser.value(
                                "document.querySelector('template').content.querySelectorAll('label input, label select').length"))
                .isEqualTo("2");
    }
}
