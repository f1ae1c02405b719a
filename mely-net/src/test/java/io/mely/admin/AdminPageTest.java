// SPDX-License-Identifier: Apache-2.0
package io.mely.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.Color;
import io.mely.Mely;
import io.mely.Policy;
import io.mely.Stage;
import io.mely.StageOptions;
import io.mely.policy.PoolPolicy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The live page in a browser: each panel shows what the runtime does, names are text, and a lost connection is said and found again.
 */
@Tag("any-jdk")
@Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AdminPageTest {
    private static final String EVIL = "evil <img src=x onerror=\"document.title='broken'\">";

    @TempDir
    Path profile;

    private final CountDownLatch isOver = new CountDownLatch(1);
    private final Mely mely = Mely.builder()
            .cores(2)
            .policy("disk", Policy.of("disk", PoolPolicy.perStage(1)))
            .policy("central", Policy.centralQueue())
            .errorHandler(failure -> {})
            .stallAfter(Duration.ofMillis(300), stall -> {})
            .build();
    private Browser browser;

    @BeforeEach
    void openBrowser() throws Exception {
        browser = Browser.start(profile);
    }

    @AfterEach
    void end() throws Exception {
        isOver.countDown();
        mely.close(Duration.ZERO);
        if (browser != null) {
            browser.close();
        }
    }

    /**
     * Each event of the busy stage sends itself one and the full stage five more. By their annotations both are saturated, whatever the machine's speed: their events are to take a minute. The full
     * stage has room for two events and never runs the first, so it refuses the others.
     */
    private void load() {
        Duration minute = Duration.ofMinutes(1);
        Stage<String> evil = mely.stage(EVIL, StageOptions.defaults().withGroup("disk"), event -> {
            throw new IllegalStateException("on purpose");
        });
        Stage<String> full = mely.stage(
                "full",
                StageOptions.defaults().withGroup("disk").withCapacity(2),
                event -> isOver.await(5, TimeUnit.MINUTES));
        List<Stage<String>> busy = new ArrayList<>();
        busy.add(mely.stage("busy", StageOptions.defaults().asSingleThreaded().withProcessingTime(minute), event -> {
            LockSupport.parkNanos(5_000_000);
            busy.get(0).send(event);
            boolean unused = full.offer(event);
            evil.send(event);
        }));
        mely.stage("never", StageOptions.defaults().withGroup("central"), event -> {});
        Stage<String> stuck = mely.stage("stuck", event -> isOver.await(5, TimeUnit.MINUTES));
        Color color = mely.colorAt(9);
        stuck.send(color, "x");
        stuck.send(color, "waits");
        busy.get(0).send("x");
        mely.start();
    }

    private void showsText(String element, String text) throws Exception {
        browser.await(
                element + " shows " + text,
                "document.querySelector('" + element + "').textContent.includes('" + text + "')");
    }

    /** A row of a table that begins with a name has a text in a column. */
    private void showsCell(String table, String name, int column, String pattern) throws Exception {
        browser.await(
                table + " has " + pattern + " in the row of " + name,
                "[...document.querySelectorAll('#" + table
                        + " tbody tr')].some(row => row.cells[0].textContent.startsWith('" + name + "') && /" + pattern
                        + "/.test(row.cells[" + column + "].textContent))");
    }

    @Test
    void page_showsTheRuntime_andThatItIsGone_andBack() throws Exception {
        // Who is bound to the port without listening keeps it for the second server.
        InetAddress loopback = InetAddress.getLoopbackAddress();
        Socket keeper = new Socket();
        keeper.setReuseAddress(true);
        keeper.bind(new InetSocketAddress(loopback, 0));
        int port = keeper.getLocalPort();
        try (AdminServer admin = AdminServer.start(mely, port)) {
            assertThat(admin.port()).isEqualTo(port);
            load();
            browser.open("http://localhost:" + port + "/");
            browser.await("it is live", "document.querySelector('#state').dataset.live === 'yes'");
            graph_isShown();
            warnings_areShown();
            figures_areShown();
            names_areText();
            colors_followTheDark();
            assertThat(browser.console()).isEmpty();
        }
        showsText("#state", "connection lost");
        browser.await("figures are marked as old", "document.querySelector('#main').classList.contains('old')");
        try (keeper;
                AdminServer again = AdminServer.start(mely, new InetSocketAddress(loopback, port), "localhost")) {
            assertThat(again.port()).isEqualTo(port);
            browser.await("it is live again", "document.querySelector('#state').dataset.live === 'yes'");
            browser.await("they are new again", "!document.querySelector('#main').classList.contains('old')");
            assertThat(browser.console())
                    .as("the network is all that may have failed")
                    .allMatch(line -> line.contains("\"source\":\"network\""));
        }
    }

    private void graph_isShown() throws Exception {
        browser.await(
                "a box for each of five stages", "document.querySelectorAll('#picture svg g rect.box').length === 5");
        showsText("#picture", "busy");
        showsText("#picture g.saturated", "busy");
        showsText("#picture g.dead", "never");
        browser.await(
                "the edge that closes the cycle", "document.querySelectorAll('#picture path.cycle').length === 1");
        browser.await(
                "a name for who does not see it",
                "/Stage graph of 4 stages/.test(document.querySelector('#picture svg').ariaLabel)");
    }

    private void warnings_areShown() throws Exception {
        showsText("#warnings li.saturated", "stage busy is saturated");
        showsText("#warnings li.dead", "stage never has been sent nothing");
        showsText("#warnings li.cycle", "busy -> busy");
        assertThat(browser.is("document.querySelector('#warnings').textContent.includes('stuck')"))
                .as("it was sent something, though not lately")
                .isFalse();
    }

    private void figures_areShown() throws Exception {
        showsCell("stages", "busy", 1, "^main$");
        showsCell("stages", "stuck", 6, "^1$"); // waits
        showsCell("stages", "full", 9, "^[1-9]"); // refused
        showsCell("stages", "evil", 10, "^[1-9]"); // failed
        showsCell("groups", "main", 1, "^2$"); // that of commands was sent nothing
        showsCell("groups", "disk", 5, "^[1-9]"); // refused
        showsCell("groups", "central", 1, "^1$");
        showsText("#pools", "Threads beside the cores");
        showsText("#queue-keys", "full 2");
        browser.await("two cores", "document.querySelectorAll('#cores tbody tr').length === 2");
        browser.await(
                "time in handlers",
                "[...document.querySelectorAll('#cores tbody tr')].some(row => parseFloat(row.cells[2].textContent) > 0)");
        showsText("#steals thead", "distance");
        showsText("#steal-note", "The cores float");
        showsCell("colors", "9", 1, "^stuck$");
        showsCell("colors", "9", 3, "s$"); // is left
        showsCell("colors", "its stage", 1, "^busy$");
        showsText("#long", "stuck, color 9, core ");
        showsText("#long pre", "AdminPageTest");
        showsText("#told", "stuck, color 9, core ");
        browser.await("drawn queues", drawn("#queues"));
        browser.await("drawn cores", drawn("#cores canvas"));
        browser.await("what the drawings say", "[...document.querySelectorAll('canvas')].every(c => c.ariaLabel)");
    }

    private void names_areText() throws Exception {
        browser.await("it is there", "document.querySelector('#stages').textContent.includes('evil <img')");
        showsText("#picture", "evil <img");
        assertThat(browser.is("document.querySelectorAll('img').length === 0")).isTrue();
        assertThat(browser.value("document.title")).isEqualTo("\"Mely: stages\"");
        assertThat(
                        browser.value(
                                "(() => { try { document.body.innerHTML = '<b>'; return 'made'; } catch (e) { return e.name; } })()"))
                .as("text cannot be made markup, even by mistake")
                .isEqualTo("\"TypeError\"");
        List<String> said = browser.console();
        assertThat(said).as("it says so itself").allMatch(line -> line.contains("TrustedHTML"));
    }

    private void colors_followTheDark() throws Exception {
        String light = browser.value("getComputedStyle(document.body).backgroundColor");
        browser.prefersDark();
        browser.await("it is dark", "getComputedStyle(document.body).backgroundColor !== " + light);
    }

    @Test
    void page_whenFourOthersLook_saysSo_andComesLater() throws Exception {
        List<Socket> others = new ArrayList<>();
        try (AdminServer admin = AdminServer.start(mely, 0)) {
            for (int i = 0; i < 4; i++) {
                Socket other = new Socket(InetAddress.getLoopbackAddress(), admin.port());
                others.add(other);
                other.getOutputStream()
                        .write("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                assertThat(other.getInputStream().read()).isEqualTo('H');
            }
            browser.open("http://localhost:" + admin.port() + "/");
            showsText("#state", "connection refused: are more than four pages watching?");
            for (Socket other : others) {
                other.close();
            }
            browser.await("it is live", "document.querySelector('#state').dataset.live === 'yes'");
        } finally {
            for (Socket other : others) {
                other.close();
            }
        }
    }

    /** Something else than its background is on a canvas. */
    private static String drawn(String canvas) {
        return "(c => c.width > 0 && c.getContext('2d').getImageData(0, 0, c.width, c.height).data.some(x => x !== 0))"
                + "(document.querySelector('" + canvas + "'))";
    }
}
