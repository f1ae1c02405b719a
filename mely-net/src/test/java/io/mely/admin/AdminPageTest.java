// SPDX-License-Identifier: Apache-2.0
package io.mely.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.mely.Color;
import io.mely.Mely;
import io.mely.Policy;
import io.mely.Stage;
import io.mely.StageOptions;
import io.mely.policy.PoolPolicy;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The live page in a browser: it shows what the runtime does, as text, and says when the runtime is gone. */
@Timeout(value = 4, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AdminPageTest {
    private static final String EVIL = "evil <img src=x onerror=\"document.title='broken'\">";
    private static final long LOOK_NS = 50_000_000;

    @TempDir
    Path profile;

    private final CountDownLatch isOver = new CountDownLatch(1);
    private final Mely mely = Mely.builder()
            .cores(2)
            .policy("disk", Policy.of("disk", PoolPolicy.perStage(1)))
            .build();
    private Browser browser;

    static boolean has(String program) {
        return Arrays.stream(System.getenv("PATH").split(File.pathSeparator, -1))
                .anyMatch(dir -> Files.isExecutable(Path.of(dir, program)));
    }

    @BeforeEach
    void openBrowser() throws Exception {
        boolean isThere = has("chromedriver");
        if ("required".equals(System.getenv("MELY_BROWSER"))) {
            assertThat(isThere).as("chromedriver is needed").isTrue();
        }
        assumeTrue(isThere, "no chromedriver on this machine");
        browser = new Browser(profile);
    }

    @AfterEach
    void end() throws Exception {
        isOver.countDown();
        mely.close(Duration.ZERO);
        if (browser != null) {
            browser.close();
        }
    }

    /** Each event of the busy stage sends five more: whatever the machine's speed, it cannot keep up. */
    private void load() {
        Stage<String> last = mely.stage(EVIL, StageOptions.defaults().withGroup("disk"), event -> {});
        List<Stage<String>> busy = new ArrayList<>();
        busy.add(mely.stage("busy", StageOptions.defaults().asSingleThreaded(), event -> {
            LockSupport.parkNanos(1_000_000);
            for (int i = 0; i < 5; i++) {
                assertThat(busy.get(0).offer(event)).isTrue();
            }
            last.send(event);
        }));
        mely.stage("never", event -> {});
        Stage<String> stuck = mely.stage("stuck", event -> isOver.await(4, TimeUnit.MINUTES));
        Color color = mely.colorAt(9);
        stuck.send(color, "x");
        busy.get(0).send("x");
        mely.start();
    }

    private void shows(String what, String expression) throws Exception {
        long untilNs = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
        while (!browser.is(expression)) {
            assertThat(System.nanoTime() - untilNs)
                    .as("%s: %s", what, browser.value("document.body.innerText"))
                    .isNegative();
            LockSupport.parkNanos(LOOK_NS);
        }
    }

    private void showsText(String element, String text) throws Exception {
        shows(
                element + " shows " + text,
                "document.querySelector('" + element + "').textContent.includes('" + text + "')");
    }

    @Test
    void page_showsTheRuntime_andThatItIsGone() throws Exception {
        try (AdminServer admin = AdminServer.start(mely, 0)) {
            load();
            browser.open("http://localhost:" + admin.port() + "/");
            showsText("#state", "live: ");
            shows("the graph", "document.querySelectorAll('#picture svg rect').length >= 2");
            showsText("#picture", "busy");
            showsText("#stages tbody", "busy");
            showsText("#stages tbody", "disk");
            showsText("#warnings", "stage busy is saturated");
            showsText("#warnings", "stage never has been sent nothing");
            showsText("#warnings", "busy -> busy");
            assertThat(browser.is("document.querySelector('#warnings').textContent.includes('stuck')"))
                    .as("it was sent something, though not lately")
                    .isFalse();
            showsText("#queue-keys", "busy");
            showsText("#busy-keys", "core 1");
            shows("two cores", "document.querySelectorAll('#cores tbody tr').length === 2");
            shows("time in handlers", "[...document.querySelectorAll('#cores meter')].some(m => m.value > 0.1)");
            showsText("#colors tbody", "stuck");
            showsText("#colors tbody", "busy");
            showsText("#long", "stuck, color 9, core ");
            showsText("#long pre", "AdminPageTest");
            shows("drawn queues", drawn("queues"));
            shows("drawn cores", drawn("busy"));
            assertThat(browser.is("document.querySelectorAll('img').length === 0"))
                    .isTrue();
            assertThat(browser.is("document.querySelector('#stages').textContent.includes('evil <img')"))
                    .isTrue();
            assertThat(browser.value("document.title")).isEqualTo("\"Mely: stages\"");
            assertThat(browser.console()).doesNotContain("\"level\":\"SEVERE\"");
        }
        showsText("#state", "the server is away");
    }

    /** Something else than its background is on a canvas. */
    private static String drawn(String canvas) {
        return "(c => c.width > 0 && c.getContext('2d').getImageData(0, 0, c.width, c.height).data.some(x => x !== 0))"
                + "(document.getElementById('" + canvas + "'))";
    }
}
