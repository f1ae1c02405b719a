// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.sws.RawClient;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StopSystemTest {
    private static final int SMALL_BUFFER_BYTES = 4_096;

    @TempDir
    static Path root;

    private static List<SiteFiles.Page> pages;
    private static SiteFiles.Page large;

    @BeforeAll
    static void write() throws Exception {
        pages = SiteFiles.thousand(root);
        large = SiteFiles.write(root, "large.bin", 5_000_000, 2);
    }

    /** One whose clients have as long as it takes. */
    private static SwsProcess patient() throws Exception {
        return SwsProcess.serving(root).variable("SWS_DRAIN_DEADLINE", "1 h").startReady();
    }

    // SIGTERM under full load: what was begun comes whole, slow downloads too, then the process ends with 0.
    @Test
    void term_cutsNoResponse() throws Exception {
        List<HttpExchange.Target> targets =
                pages.stream().map(HttpExchange.Target::of).toList();
        try (SwsProcess sws = patient();
                LoadClient load = new LoadClient(sws.address(), targets, 200, 0, true)) {
            load.connect().run(5_000);
            List<RawClient> downloads = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                RawClient download = new RawClient(sws.address(), SMALL_BUFFER_BYTES);
                download.get(large.path());
                downloads.add(download);
            }
            // Far more than the server will still answer: it is stopped in the middle.
            sws.signal("TERM");
            LoadClient.Result result = load.run(1_000_000).finish();
            assertThat(result.errors()).isEmpty();
            assertThat(result.ended()).isEqualTo(200);
            for (RawClient download : downloads) {
                checkWholeOrNothing(download);
            }
            sws.awaitExit();
            assertThat(sws.exitCode()).isZero();
            assertThat(sws.stderr()).isEmpty();
        }
    }

    /** A download whose request the server had not read yet is ended without a byte; every other comes whole. */
    private static void checkWholeOrNothing(RawClient download) throws IOException {
        try (download) {
            RawClient.Response response = download.response();
            assertThat(response.body()).isEqualTo(large.content());
            assertThat(download.isEnded()).isTrue();
        } catch (java.net.SocketException refused) {
            assertThat(refused).hasMessageContaining("reset");
        }
    }

    // A download that is under way when the signal comes is finished, for the deadline allows it; new clients are
    // refused.
    @Test
    void term_finishesWhatIsUnderWay() throws Exception {
        try (SwsProcess sws = patient();
                RawClient download = new RawClient(sws.address(), SMALL_BUFFER_BYTES)) {
            download.get(large.path());
            download.readHead();
            sws.signal("TERM");
            Await.until(() -> "new clients refused", () -> isRefused(sws));
            assertThat(sws.isAlive()).isTrue();
            assertThat(download.readRest().body()).isEqualTo(large.content());
            assertThat(download.isEnded()).isTrue();
            sws.awaitExit();
            assertThat(sws.exitCode()).isZero();
        }
    }

    // Idle connections hold nothing up.
    @ParameterizedTest
    @ValueSource(strings = {"TERM", "INT"})
    void signal_waitsForNoIdleClient(String signal) throws Exception {
        try (SwsProcess sws = patient();
                RawClient used = new RawClient(sws.address());
                RawClient unused = new RawClient(sws.address())) {
            assertThat(used.fetch(pages.get(0).path()).status()).isEqualTo(200);
            sws.signal(signal);
            sws.awaitExit();
            assertThat(sws.exitCode()).isZero();
            assertThat(used.isEnded()).isTrue();
            assertThat(unused.isEnded()).isTrue();
            assertThat(sws.stderr()).isEmpty();
        }
    }

    // A Java without sun.misc.Signal, as a custom image may be: a shutdown hook stops the server, with the same exit
    // code.
    @Test
    void term_withoutSignalModule_endsWithZero() throws Exception {
        try (SwsProcess sws = SwsProcess.serving(root)
                        .jvm("--limit-modules", "java.base,java.logging,java.naming,java.management,jdk.net")
                        .startReady();
                RawClient client = new RawClient(sws.address())) {
            assertThat(client.fetch(pages.get(0).path()).status()).isEqualTo(200);
            sws.signal("TERM");
            sws.awaitExit();
            assertThat(sws.exitCode()).isZero();
            assertThat(sws.stderr()).isEmpty();
        }
    }

    // A client that takes nothing is cut when the deadline passes; it is said, and the exit code is 0: the stop was
    // asked for.
    @Test
    void deadline_cutsWhatStillRuns() throws Exception {
        try (SwsProcess sws = SwsProcess.serving(root)
                        .variable("SWS_DRAIN_DEADLINE", "500 ms")
                        .startReady();
                RawClient stuck = new RawClient(sws.address(), SMALL_BUFFER_BYTES)) {
            stuck.get(large.path());
            stuck.readHead();
            sws.signal("TERM");
            sws.awaitExit();
            assertThat(sws.exitCode()).isZero();
            assertThat(sws.stderr())
                    .hasLineCount(1)
                    .contains(" WARNING io.mely.sws.SwsServer: some responses were not finished in ");
        }
    }

    // While it waits for a client that takes nothing, a second signal ends it at once.
    @ParameterizedTest
    @CsvSource({"TERM, 143", "INT, 130"})
    void secondSignal_endsAtOnce(String signal, int code) throws Exception {
        try (SwsProcess sws = SwsProcess.serving(root)
                        .variable("SWS_DRAIN_DEADLINE", "1 h")
                        .startReady();
                RawClient stuck = new RawClient(sws.address(), SMALL_BUFFER_BYTES)) {
            stuck.get(large.path());
            stuck.readHead();
            sws.signal("TERM");
            Await.until(() -> "new clients refused", () -> isRefused(sws));
            assertThat(sws.isAlive()).isTrue();
            sws.signal(signal);
            sws.awaitExit();
            assertThat(sws.exitCode()).isEqualTo(code);
        }
    }

    private static boolean isRefused(SwsProcess sws) {
        try (Socket probe = new Socket()) {
            probe.connect(sws.address(), (int) Await.TIMEOUT.toMillis());
            return false;
        } catch (IOException refused) {
            return true;
        }
    }
}
