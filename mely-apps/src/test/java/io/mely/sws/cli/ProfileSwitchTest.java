// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.MelyStats;
import io.mely.Recording;
import io.mely.WorkloadProfile;
import io.mely.sws.SwsConfig;
import io.mely.sws.SwsServer;
import io.mely.sws.SwsStats;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.InetSocketAddress;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

// A signal begins a recording and another ends it; the file says what was asked of the server in between.
class ProfileSwitchTest {
    @TempDir
    Path folder;

    private final List<String> said = new ArrayList<>();

    /** Of a server, what a recording needs. */
    private record Recorded(SwsServer server) implements Server {
        @Override
        public Recording record() {
            return server.record();
        }

        @Override
        public boolean isServing() {
            return server.isServing();
        }

        @Override
        public InetSocketAddress localAddress() {
            return server.localAddress();
        }

        @Override
        public String transport() {
            return "nio";
        }

        @Override
        public boolean close(Duration deadline) {
            return server.close(deadline);
        }

        @Override
        public MelyStats stats() {
            return server.stats();
        }

        @Override
        public SwsStats counters() {
            return server.requestStats();
        }
    }

    private SwsServer server() throws IOException {
        Files.writeString(folder.resolve("a.txt"), "hello");
        return SwsServer.start(SwsConfig.builder(folder)
                .bind(new InetSocketAddress("127.0.0.1", 0))
                .cores(1)
                .build());
    }

    private static int get(SwsServer server) throws IOException {
        URL url = new URL("http://127.0.0.1:" + server.localAddress().getPort() + "/a.txt");
        return ((HttpURLConnection) url.openConnection()).getResponseCode();
    }

    @Test
    void toggle_recordsARequest() throws IOException {
        Path file = folder.resolve("profile.json");
        try (SwsServer server = server()) {
            ProfileSwitch profiles = new ProfileSwitch(new Recorded(server), file, said::add);
            profiles.end();
            assertThat(said).isEmpty();
            profiles.toggle();
            assertThat(get(server)).isEqualTo(200);
            profiles.toggle();
            profiles.end();
        }
        assertThat(said).hasSize(2);
        assertThat(said.get(0)).isEqualTo("recording a profile");
        assertThat(said.get(1)).startsWith("profile of ").endsWith(file.toString());
        assertThat(Files.readString(file))
                .startsWith("{\"format\": \"" + WorkloadProfile.FORMAT + "\"")
                .contains("\"name\": \"ParseRequest\"", "\"to\": \"CheckInCache\", \"ownColor\": true");
    }

    @Test
    void fileThatCannotBeWritten_isSaid() throws IOException {
        Path file = folder.resolve("missing").resolve("profile.json");
        try (SwsServer server = server()) {
            ProfileSwitch profiles = new ProfileSwitch(new Recorded(server), file, said::add);
            profiles.toggle();
            profiles.end();
            assertThat(get(server)).isEqualTo(200);
        }
        assertThat(said.get(1)).startsWith("profile cannot be written: " + file).contains("NoSuchFile");
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void userSignal_doesWhatIsAsked() throws Exception {
        CountDownLatch raised = new CountDownLatch(1);
        assertThat(StopSignals.onUserSignal(raised::countDown)).isTrue();
        String self = String.valueOf(ProcessHandle.current().pid());
        assertThat(new ProcessBuilder("kill", "-USR1", self).start().waitFor()).isZero();
        assertThat(raised.await(30, TimeUnit.SECONDS)).isTrue();
    }
}
