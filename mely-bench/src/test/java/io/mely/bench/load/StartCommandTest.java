// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Property: a start counts if the ready line came first and the first answer was the whole file; each is in the raw data. */
class StartCommandTest {
    private static final byte[] BODY = ScriptedServer.BODY.getBytes(StandardCharsets.US_ASCII);

    @TempDir
    Path dir;

    private List<String> briefly(String... more) throws IOException {
        Path jar = dir.resolve("fake.jar");
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, FakeSws.class.getName());
        String name = FakeSws.class.getName().replace('.', '/') + ".class";
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar), manifest);
                InputStream in = FakeSws.class.getClassLoader().getResourceAsStream(name)) {
            out.putNextEntry(new JarEntry(name));
            out.write(Objects.requireNonNull(in).readAllBytes());
        }
        List<String> args = new ArrayList<>(List.of("--sws", jar.toString(), "--rounds", "1", "--warm-rounds", "0"));
        args.addAll(List.of(more));
        return args;
    }

    @Test
    void execute_startsEachWay() throws IOException {
        Path json = dir.resolve("start.json");
        List<String> args = briefly("--json", json.toString());
        assertThat(StartCommand.execute(args.toArray(String[]::new))).isZero();
        List<String> runs = Files.readAllLines(json).stream()
                .filter(line -> line.contains("\"way\": "))
                .toList();
        assertThat(runs)
                .hasSize(2)
                .allMatch(run -> run.contains("\"readyMs\": ") && run.contains("\"answerMs\": "))
                .anyMatch(run -> run.contains("PLAIN"))
                .anyMatch(run -> run.contains("ARCHIVE"));
    }

    /** What a start says before the ready line may be that its archive is not used. */
    @ParameterizedTest
    @ValueSource(strings = {"-Dstatus=404", "-Dsays=[warning][cds] shared class paths mismatch", "-Dsays="})
    void execute_failsIfAStartIsNotAsItShould(String option) throws IOException {
        List<String> args = briefly("--way", "PLAIN", "--java-option=" + option);
        assertThat(StartCommand.execute(args.toArray(String[]::new))).isEqualTo(1);
    }

    @Test
    void execute_saysThatAServerDoesNotStart() {
        assertThat(StartCommand.execute("--sws", "/nowhere.jar", "--way", "PLAIN"))
                .isEqualTo(1);
        assertThat(StartCommand.execute("--sws", "/nowhere.jar", "--way", "ARCHIVE"))
                .isEqualTo(1);
        assertThat(StartCommand.execute("--java", "/nowhere")).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"--rounds 0", "--warm-rounds -1", "--within-ms 0", "--way FAST"})
    void execute_refuses(String args) {
        assertThat(StartCommand.execute(args.split(" ", -1))).isEqualTo(2);
    }

    @ParameterizedTest
    @CsvSource({
        "'SWS listening on http://127.0.0.1:8080 (root /srv/www, 2 cores, stealing mely, epoll)', 8080",
        "SWS listening on http://127.0.0.1:8080, 0",
        "'SWS listening on unix:/run/sws (root /, 1 core)', 0",
        "'sws: no such folder', 0",
        ", 0"
    })
    void port_isThatOfTheReadyLine(String line, int port) {
        assertThat(Start.port(line)).isEqualTo(port);
    }

    @Test
    void ask_waitsForTheWholeAnswer() throws IOException {
        String text = ScriptedServer.response(200, ScriptedServer.BODY);
        for (int at = 0; at <= text.length(); at++) {
            int cut = at;
            ScriptedServer.Script split = (number, path, to) -> {
                ScriptedServer.write(to, text.substring(0, cut));
                ScriptedServer.write(to, text.substring(cut));
                return true;
            };
            try (ScriptedServer server = new ScriptedServer(split)) {
                Start.ask(server.port(), BODY);
                assertThat(server.requests).hasValue(1);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "HTTP/1.1 503 Busy|Content-Length: 12||twelve bytes, status=503",
        "HTTP/1.1 200 OK|Content-Length: 12||twelve BYTES, bytes of the body=12",
        "HTTP/1.1 200 OK|Content-Length: 5||twelv, bytes of the body=5",
        "HTTP/1.1 200 OK|Content-Length: 12||twelve bytes more, bytes of the body=17",
        "HTTP/1.1 200 OK|Content-Length: 12||twelve, ends after",
        "HTTP/1.1 200 OK|Content-Length: 99999||twelve, ends after",
        "'', ends after 0 bytes",
        "GARBAGE OF 13|, not HTTP"
    })
    void ask_refusesAnotherAnswer(String answer, String message) throws IOException {
        ScriptedServer.Script script = (number, path, to) -> {
            ScriptedServer.write(to, answer.replace("|", "\r\n"));
            return false;
        };
        try (ScriptedServer server = new ScriptedServer(script)) {
            assertThatThrownBy(() -> Start.ask(server.port(), BODY))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining(message);
        }
    }
}
