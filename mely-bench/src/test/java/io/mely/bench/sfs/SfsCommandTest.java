// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.sfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is asked for is what is measured, and what can't be is said. */
class SfsCommandTest {
    // A server on another runtime than SFS's own, and all clients get the whole file at once.
    @Test
    void clientsOfAnotherRuntime_areAllServed(@TempDir Path folder) throws IOException {
        for (String program : List.of("sftp", "ssh-keygen", "taskset")) {
            assumeTrue(isThere(program), program + " is not installed");
        }
        Path json = folder.resolve("rounds.json");
        assertThat(SfsCommand.execute(
                        "--server=libasync-smp-ws:slice=64 KiB",
                        "--clients=2",
                        "--mb=1",
                        "--rounds=1",
                        "--warm-up-rounds=0",
                        "--json=" + json))
                .isZero();
        assertThat(json)
                .content()
                .contains(", clients 2\": ", "libasync-smp-ws:slice=64 KiB", "\"cpu ns per byte\": ")
                .containsPattern(", copies of a byte\": \\{\\s*\"libasync-smp-ws:slice=64 KiB\": 2\\.")
                .containsPattern("\"clients, bytes per s\": \\[\\s*[0-9.E]+,\\s*[0-9.E]+\\s*]");
    }

    private static boolean isThere(String program) {
        return List.of(String.valueOf(System.getenv("PATH")).split(":", -1)).stream()
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--server nobody",
                "--server sshd:stealing=off",
                "--clients 0",
                "--cores 0",
                "--cores 1,-1",
                "--rounds 0",
                "--warm-up-rounds -1",
                "--mb 0"
            })
    void execute_refuses(String args) {
        assertThat(SfsCommand.execute(args.split(" ", -1))).isEqualTo(2);
    }

    @Test
    void engine_withSettings_keepsItsOwnToo() {
        Engine engine = Engine.of("mely:stealing=base;slice=1 MiB");
        assertThat(engine.kind()).isEqualTo("mely");
        assertThat(engine.settings()).containsExactly("default-color=true", "stealing=base", "slice=1 MiB");
        assertThatThrownBy(() -> Engine.of("melly"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("libasync-smp-ws")
                .hasMessageEndingWith("melly");
    }

    @Test
    void engine_copies_haveACoreEach() {
        assertThat(Engine.of("copies").copies(3)).isEqualTo(3);
        assertThat(Engine.of("copies").coresOfEach(3)).isEqualTo(1);
        assertThat(Engine.of("libasync").coresOfEach(3)).isEqualTo(1);
        assertThat(Engine.of("libasync-mp").coresOfEach(3)).isEqualTo(3);
        assertThat(Engine.of("libasync-mp").copies(3)).isEqualTo(1);
    }

    @Test
    void cpus_areDealtOut() throws IOException {
        List<Integer> cpus = Cpus.allowed("Name:\tjava\nCpus_allowed:\tf\nCpus_allowed_list:\t0-2,7\nMems:\t0\n");
        assertThat(cpus).containsExactly(0, 1, 2, 7);
        assertThat(Cpus.ofServer(cpus, 1)).containsExactly("taskset", "-c", "0");
        assertThat(Cpus.ofClients(cpus, 1)).containsExactly("taskset", "-c", "1,2,7");
        assertThat(Cpus.ofServer(cpus, 4)).isEmpty();
        assertThat(Cpus.ofClients(cpus, 5)).isEmpty();
        assertThatThrownBy(() -> Cpus.allowed("Name:\tjava\n")).isInstanceOf(IOException.class);
    }

    // It comes to an end, has encrypted what it sends, and gives back its socket and its file.
    @Test
    void serverPath_sendsEncryptedPackets() throws Exception {
        byte[] packet = new byte[CipherTable.HEAD_BYTES + CipherTable.PACKET_BYTES + CipherTable.TAG_BYTES];
        try (ServerPath path = new ServerPath(CipherTable.gcm(16))) {
            for (int i = 1; i <= 20; i++) {
                path.send(packet, i);
            }
        }
        assertThat(packet).isNotEqualTo(new byte[packet.length]);
    }
}
