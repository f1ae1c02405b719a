// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mely.MelyStats;
import io.mely.Stealing;
import io.mely.cli.Command;
import io.mely.cli.Program;
import io.mely.cli.StopSignals;
import io.mely.sws.SwsConfig;
import io.mely.sws.SwsSettings;
import io.mely.sws.SwsStats;
import io.mely.sws.TlsFiles;
import io.mely.sws.tls.TlsEngine;
import io.mely.sws.tls.TlsSettings;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The whole command line in one thread, with a server that only remembers what it was told. */
class CommandTest {
    @TempDir
    Path folder;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final Map<String, String> variables = new HashMap<>();
    private final StopSignals signals = StopSignals.manual();
    private final FakeServer server = new FakeServer();
    private Server.Launcher launcher = server::start;

    @BeforeEach
    void setUp() {
        variables.put("PATH", "/bin");
        variables.put("SWS_ROOT", folder.toString());
    }

    private int run(String... args) {
        StopSignals signals = StopSignals.manual();
        signals.onSignal(15);
        return run(signals, args);
    }

    private int run(StopSignals signals, String... args) {
        return new Command(
                        new SwsProgram(launcher),
                        variables,
                        new PrintStream(out, true, UTF_8),
                        new PrintStream(err, true, UTF_8),
                        signals)
                .run(args);
    }

    private String errors() {
        return err.toString(UTF_8);
    }

    static List<Arguments> mistakes() {
        return List.of(
                mistake(
                        2,
                        "sws: unknown option '--prot'; the nearest known option is --port (see --help)",
                        "--prot",
                        "80"),
                mistake(2, "sws: unknown option '-p'; the nearest known option is --port (see --help)", "-p", "80"),
                mistake(
                        2,
                        "sws: unknown option '--statistics'; the nearest known option is --stats (see --help)",
                        "--statistics"),
                mistake(2, "sws: unknown option '--a\\nb'; the nearest known option is", "--a\nb"),
                mistake(2, "sws: --port needs a value (see --help)", "--port"),
                mistake(2, "sws: --port needs a value (see --help)", "--port", "--stats"),
                mistake(2, "sws: --port is given twice (see --help)", "--port", "1", "--port", "2"),
                mistake(2, "sws: --stats takes no value: --stats=x (see --help)", "--stats=x"),
                mistake(2, "sws: --root needs a value (see --help)", "--root", "--port=1"),
                mistake(2, "sws: --root needs a value (see --help)", "--root", "--"),
                mistake(2, "sws: unexpected argument '--port' (see --help)", "--", "a", "--port"),
                mistake(2, "sws: unknown option '--prot'; the nearest known option is --port", "--help", "--prot"),
                mistake(1, "sws: DIR --port: no such folder", "--", "--port"),
                mistake(2, "sws: unexpected argument 'b' (see --help)", "a", "b"),
                mistake(2, "sws: two folders: --root /usr and DIR /tmp (see --help)", "/tmp", "--root", "/usr"),
                mistake(2, "sws: --port 65536: not allowed; allowed: 0 to 65535", "--port", "65536"),
                mistake(2, "sws: --port -1: not allowed; allowed: 0 to 65535", "--port", "-1"),
                mistake(2, "sws: --port abc: not allowed; allowed: 0 to 65535", "--port=abc"),
                mistake(2, "sws: --port '': not allowed; allowed: 0 to 65535", "--port="),
                mistake(2, "sws: --cores 0: not allowed; allowed: auto, or 1 to 1024", "--cores", "0"),
                mistake(2, "sws: --cores 5000: not allowed; allowed: auto, or 1 to 1024", "--cores", "5000"),
                mistake(2, "sws: --max-clients 0: not allowed; allowed: 1 to 16777216", "--max-clients", "0"),
                mistake(2, "sws: --stealing all: not allowed; allowed: off, base or mely", "--stealing", "all"),
                mistake(
                        2,
                        "sws: --bind 127.1: not allowed; allowed: an IP address of this machine or a host name",
                        "--bind",
                        "127.1"),
                mistake(2, "sws: --root '': not allowed; allowed: a path", "--root", ""),
                mistake(2, "sws: configuration file '/no/such.conf': no such file", "--config", "/no/such.conf"),
                mistake(1, "sws: --root /no/such: no such folder", "--root", "/no/such"),
                mistake(1, "sws: DIR '/no such': no such folder", "/no such"),
                mistake(1, "sws: DIR /dev/null: not a folder", "/dev/null"),
                mistake(
                        1,
                        "sws: --bind nosuch.invalid: no such host or network interface",
                        "--bind",
                        "nosuch.invalid"));
    }

    // What a file of TLS has wrong is said with the setting that names it; "F:" is the folder of the tests'
    // certificates.
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    tls-certificates = ["F:none.pem F:ec-key.pem"]                | tls-certificates | F:none.pem: there is no such file
                    tls-certificates = ["F:ec-key.pem"]                           | tls-certificates | F:ec-key.pem: no certificate in PEM
                    tls-certificates = ["F:ec.pem"]                               | tls-certificates | F:ec.pem: no private key in PEM
                    tls-certificates = ["F:ec.pem F:other-key.pem"]               | tls-certificates | F:other-key.pem: the key does not match the certificate in F:ec.pem
                    tls-certificates = ["F:ec.pem F:rsa-key.pem"]                 | tls-certificates | F:rsa-key.pem: the key does not match the certificate, which is for EC
                    tls-certificates = ["F:rsa.pem F:rsa-old-encrypted-key.pem"]  | tls-certificates | F:rsa-old-encrypted-key.pem: a key that is encrypted in the old form; convert it by: openssl pkcs8 -topk8
                    tls-certificates = ["F:ec.pem F:ec-encrypted-key.pem"]        | tls-certificates | F:ec-encrypted-key.pem: the key is encrypted, and no password is given: tls-password-file
                    tls-certificates = ["F:ec.p12"]                               | tls-certificates | F:ec.p12: the file is encrypted, and no password is given: tls-password-file
                    tls-certificates = ["F:README.md"]                            | tls-certificates | F:README.md: no certificate in PEM
                    """)
    void run_explainsFilesOfTls(String line, String setting, String problem) throws Exception {
        assertTlsProblem(line, setting, problem);
    }

    @Test
    void run_explainsOtherFilesOfTls() throws Exception {
        Path password = Files.writeString(folder.resolve("password"), "wrong\nsecret\n");
        Path store = Files.writeString(folder.resolve("no.p12"), "not a store");
        Path key = Files.write(folder.resolve("ticket.key"), new byte[47]);
        String certificates = "tls-certificates = [\"F:ec.pem F:ec-key.pem\"]\n";
        assertTlsProblem(
                "tls-certificates = [\"F:ec.p12\"]\ntls-password-file = \"" + password + "\"",
                "tls-certificates",
                "F:ec.p12: wrong password");
        assertTlsProblem(
                "tls-certificates = [\"F:ec.pem F:ec-encrypted-key.pem\"]\ntls-password-file = \"" + password + "\"",
                "tls-certificates",
                "F:ec-encrypted-key.pem: wrong password");
        assertTlsProblem("tls-certificates = [\"" + store + "\"]", "tls-certificates", store + ": not a PKCS#12 file");
        assertTlsProblem(
                certificates + "tls-password-file = /none", "tls-password-file", "/none: there is no such file");
        assertTlsProblem(
                certificates + "tls-client-auth = required\ntls-client-authorities = /none",
                "tls-client-authorities",
                "/none: there is no such file");
        assertTlsProblem(
                certificates + "tls-engine = jdk\ntls-ticket-keys = [\"" + key + "\"]",
                "tls-certificates",
                "the JDK's engine cannot use keys of tickets from files");
        if (TlsEngine.BORINGSSL.isAvailable()) {
            assertTlsProblem(
                    certificates + "tls-ticket-keys = [\"" + key + "\"]",
                    "tls-ticket-keys",
                    key + ": a key of tickets must have 48 bytes, and this has 47");
        }
    }

    private void assertTlsProblem(String lines, String setting, String problem) throws IOException {
        String tls = TlsFiles.file("").toString() + "/";
        Path file = Files.writeString(folder.resolve("sws.conf"), lines.replace("F:", tls));
        launcher = config -> SwsLauncher.start(config, runtime -> runtime, List.of());
        err.reset();
        assertThat(run("--config", file.toString(), "--port", "0")).isEqualTo(1);
        assertThat(errors())
                .startsWith("sws: " + file + ":")
                .contains(": " + setting + " = ")
                .contains(problem.replace("F:", tls));
        assertThat(errors().lines()).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    SWS_TLS_HSTS           | max-age=1    | of no use without tls-certificates
                    SWS_TLS_HSTS           | soon         | not allowed; allowed: empty, or such as max-age=31536000
                    SWS_TLS_REDIRECT_BIND  | localhost    | not allowed; allowed: empty or HOST:PORT
                    SWS_TLS_OLDEST         | 1.1          | not allowed; allowed: 1.2 or 1.3
                    SWS_TLS_CERTIFICATES   | a b c        | not allowed; allowed: CHAIN KEY in PEM
                    SWS_TLS_TICKET_LIFETIME | 8 d         | not allowed; allowed: a time with its unit, 0 s to 604800 s
                    """)
    void run_explainsSettingsOfTls(String variable, String value, String problem) {
        variables.put(variable, value);
        assertThat(run()).isEqualTo(2);
        assertThat(errors()).contains(variable).contains(problem);
    }

    @Test
    void run_clientAuthWithoutAuthorities_isAMistake() {
        variables.put("SWS_TLS_CERTIFICATES", "a.pem b.pem");
        variables.put("SWS_TLS_CLIENT_AUTH", "required");
        assertThat(run()).isEqualTo(2);
        assertThat(errors()).contains("of no use without tls-client-authorities");
    }

    // SIGHUP does not stop; what is wrong then does not either.
    @Test
    void run_reloadsAtHangup_andServesOn() {
        variables.put("SWS_TLS_CERTIFICATES", "a.pem b.pem");
        server.reloadFailure = new IOException("wrong");
        signals.onSignal(1);
        assertThat(run(signals)).isZero();
        assertThat(server.reloads).isEqualTo(1);
        assertThat(server.config.get(TlsSettings.CERTIFICATES)).hasSize(1);
    }

    // What the file says now is taken over.
    @Test
    void run_reloadsTheFile() throws IOException {
        Path file = Files.writeString(folder.resolve("sws.conf"), "listing = on");
        launcher = config -> {
            write(file, "index-files = [a.html]");
            signals.onSignal(1);
            return server.start(config);
        };
        assertThat(run(signals, "--config", file.toString())).isZero();
        assertThat(server.reloads).isEqualTo(1);
        assertThat(server.config.get(SwsSettings.INDEX_FILES)).containsExactly("a.html");
        assertThat(server.config.get(SwsSettings.LISTING)).isFalse();
    }

    private static void write(Path file, String text) {
        try {
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    // SIGUSR1: the log is opened again.
    @Test
    void run_reopensTheLog() {
        signals.onSignal(10);
        assertThat(run(signals)).isZero();
        assertThat(server.reopened).isEqualTo(1);
    }

    private static Arguments mistake(int code, String start, String... args) {
        return Arguments.of(code, start, args);
    }

    // Every mistake has its exit code and its one line; nothing was started and nothing is on standard output.
    @ParameterizedTest
    @MethodSource("mistakes")
    void run_explainsMistake(int code, String start, String[] args) {
        assertThat(run(args)).isEqualTo(code);
        assertThat(errors()).startsWith(start).endsWith("\n").hasLineCount(1);
        assertThat(out.toString(UTF_8)).isEmpty();
        assertThat(server.config).isNull();
    }

    // Several wrong values are told at once.
    @Test
    void run_tellsAllWrongValues() {
        assertThat(run("--port", "x", "--cores", "y")).isEqualTo(2);
        assertThat(errors()).contains("--port x").contains("--cores y").hasLineCount(2);
    }

    private int runDeployed(String text) throws IOException {
        Path file = folder.resolve("stages.conf");
        Files.writeString(file, text);
        return run("--port", "0", "--stages", file.toString());
    }

    @Test
    void deploymentFile_isTaken() throws Exception {
        assertThat(runDeployed("groups { main { policy = cohort } }\nstages { Close { group = main } }"))
                .as(errors())
                .isZero();
        assertThat(server.config.stages().stageNames()).containsExactly("Close");
    }

    @Test
    void deploymentFile_wrongNames_areAnsweredWithTheNearest() throws Exception {
        assertThat(runDeployed("groups {\n  main { policy = cohrot }\n  disk { policy = pool-shared }\n}\n"
                        + "stages {\n  WriteFlie { group = disk }\n  Close { group = dsik }\n}"))
                .isEqualTo(2);
        assertThat(errors())
                .contains("stages.conf:2: groups.main.policy")
                .contains("cohort")
                .contains("stages.conf:6: stages.WriteFlie: unknown stage; the nearest is WriteFile")
                .contains("stages.conf:7: stages.Close.group")
                .contains("disk");
        assertThat(run("--stages", folder.resolve("missing").toString())).isEqualTo(2);
        assertThat(errors()).contains("missing: cannot be read");
    }

    @Test
    void run_serves_withDefaults() throws Exception {
        variables.remove("SWS_ROOT");
        assertThat(run()).isZero();
        Path here = Path.of("").toAbsolutePath();
        assertThat(server.config).isEqualTo(SwsConfig.builder(here).build());
        assertThat(server.deadline).isEqualTo(SwsSettings.DRAIN_DEADLINE.defaultValue());
        assertThat(errors()).isEmpty();
    }

    @Test
    void run_serves_withFlags() throws Exception {
        variables.remove("SWS_ROOT");
        assertThat(run(
                        folder.toString(),
                        "--root",
                        folder + "/.",
                        "--port=0",
                        "--bind",
                        "[::1]",
                        "--cores",
                        "3",
                        "--stealing",
                        "BASE",
                        "--max-clients",
                        "7"))
                .isZero();
        assertThat(server.config.root()).isEqualTo(folder);
        assertThat(server.config.bind()).isEqualTo(new InetSocketAddress("::1", 0));
        assertThat(server.config.get(SwsSettings.CORES)).isEqualTo(3);
        assertThat(server.config.get(SwsSettings.STEALING)).isEqualTo(Stealing.base());
        assertThat(server.config.get(SwsSettings.MAX_CLIENTS)).isEqualTo(7);
    }

    // Flags win over environment variables, these win over the file; what only the file says holds.
    @Test
    void run_prefersFlagsThenEnvironmentThenFile() throws Exception {
        Path file = folder.resolve("a.conf");
        Files.writeString(file, "port = 1\ncores = 1\nmax-clients = 1\ndrain-deadline = 5 s\n");
        variables.put("SWS_CORES", "2");
        variables.put("SWS_MAX_CLIENTS", "2");
        variables.put("SWS_CONFIG", file.toString());
        assertThat(run("--max-clients", "3")).isZero();
        assertThat(server.config.bind().getPort()).isEqualTo(1);
        assertThat(server.config.get(SwsSettings.CORES)).isEqualTo(2);
        assertThat(server.config.get(SwsSettings.MAX_CLIENTS)).isEqualTo(3);
        assertThat(server.deadline).isEqualTo(Duration.ofSeconds(5));
    }

    // The file of the flag replaces the file of the variable.
    @Test
    void run_prefersConfigFlag() throws Exception {
        Path file = folder.resolve("a.conf");
        Files.writeString(file, "port = 1\n");
        variables.put("SWS_CONFIG", "/no/such.conf");
        assertThat(run("--config", file.toString())).isZero();
        assertThat(server.config.bind().getPort()).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({
        "SWS_PROT, 80, unknown environment variable 'SWS_PROT'; the nearest known one is SWS_PORT",
        "SWS_CONFIGURATION, x, unknown environment variable 'SWS_CONFIGURATION'; the nearest known one is SWS_CONFIG",
        "SWS_PORT, abc, environment variable SWS_PORT=abc: not allowed; allowed: 0 to 65535",
        "SWS_STATS, 2, 'environment variable SWS_STATS=2: not allowed; allowed: true, false, yes, no, on or off'"
    })
    void run_explainsWrongVariable(String name, String value, String problem) {
        variables.put(name, value);
        assertThat(run()).isEqualTo(2);
        assertThat(errors()).isEqualTo("sws: " + problem + System.lineSeparator());
    }

    // A wrong value is told even where a stronger source makes it idle.
    @Test
    void run_checksWhatIsOverridden() throws Exception {
        Path file = Files.writeString(folder.resolve("a.conf"), "port = x\n");
        assertThat(run("--config", file.toString(), "--port", "0")).isEqualTo(2);
        assertThat(errors()).startsWith("sws: " + file + ":1: port = x: not allowed");
    }

    // Two sizes that don't go together are told with where the first came from.
    @Test
    void run_explainsHeadShorterThanRequestLine() {
        variables.put("SWS_HEADER_MAX", "1 KiB");
        assertThat(run()).isEqualTo(2);
        assertThat(errors())
                .startsWith(
                        "sws: environment variable SWS_HEADER_MAX='1 KiB': not allowed; allowed: at least request-line-max, 8 KiB");
    }

    // The words of epoll's and NIO's failures; the message says which setting to change.
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "address in use: /127.0.0.1:8081 | the port is in use (--port 8081)",
                "Address already in use: /127.0.0.1:8081 | the port is in use (--port 8081)",
                "not an address of this machine: /127.0.0.1:8081 | not an address of this machine (bind (default) = \"127.0.0.1\")",
                "Cannot assign requested address: /127.0.0.1:8081 | not an address of this machine (bind (default) = \"127.0.0.1\")",
                "no permission to listen at: /127.0.0.1:8081 | permission denied (--port 8081)",
                "cannot listen at /127.0.0.1:8081: Permission denied | permission denied (--port 8081)"
            })
    void run_explainsFailedBind(String words, String explanation) {
        launcher = config -> {
            throw new BindException(words);
        };
        assertThat(run("--port", "8081")).isEqualTo(1);
        assertThat(errors()).isEqualTo("sws: cannot listen on 127.0.0.1:8081: " + explanation + System.lineSeparator());
    }

    @Test
    void run_explainsOtherFailures() {
        explains("no epoll\\nhere", config -> {
            throw new IllegalStateException("no epoll\nhere");
        });
    }

    @Test
    void run_explainsTooLittleMemory() {
        explains("out of memory: Java heap space", config -> {
            throw new OutOfMemoryError("Java heap space");
        });
    }

    private void explains(String explanation, Server.Launcher failing) {
        launcher = failing;
        assertThat(run()).isEqualTo(1);
        assertThat(errors()).isEqualTo("sws: cannot start: " + explanation + "\n");
    }

    // A rehearsal goes on a free port whatever is configured, and ends by itself with the answer it got.
    @Test
    void run_rehearses() throws Exception {
        variables.put("SWS_PORT", "81");
        try (ServerSocket listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            server.address = (InetSocketAddress) listening.getLocalSocketAddress();
            CompletableFuture<String> asked = CompletableFuture.supplyAsync(() -> answer(listening, "HTTP/1.1 404 "));
            assertThat(run("--rehearse")).isZero();
            assertThat(asked.get()).isEqualTo("GET / HTTP/1.1");
            assertThat(server.config.bind().getPort()).isZero();
            assertThat(server.deadline).isNotNull();
            assertThat(errors()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "HTTP/1.", "220 ready\r\n"})
    void run_fails_whenTheRehearsalGetsNoResponse(String text) throws Exception {
        try (ServerSocket listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            server.address = (InetSocketAddress) listening.getLocalSocketAddress();
            CompletableFuture<String> asked = CompletableFuture.supplyAsync(() -> answer(listening, text));
            assertThat(run("--rehearse")).isEqualTo(1);
            assertThat(asked.get()).isEqualTo("GET / HTTP/1.1");
            assertThat(server.deadline).isNotNull();
            assertThat(errors()).isEqualTo("sws: no answer to a request of its own\n");
        }
    }

    private static String answer(ServerSocket listening, String text) {
        try (Socket socket = listening.accept();
                BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8))) {
            String first = in.readLine();
            in.lines().takeWhile(line -> !line.isEmpty()).forEach(field -> {});
            socket.getOutputStream().write(text.getBytes(UTF_8));
            return first;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    // A bug keeps its stack trace.
    @Test
    void run_passesBugsOn() {
        launcher = config -> {
            throw new IndexOutOfBoundsException("bug");
        };
        assertThatThrownBy(this::run).isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void run_printsStatistics_onStandardError() {
        assertThat(run("--stats")).isZero();
        assertThat(errors()).startsWith("SWS statistics\n").contains("\nresponses: 1,006  2xx: 1,000");
    }

    // Cut responses are the server's to log, and the stop is a success all the same: it was asked for.
    @Test
    void run_succeeds_whenResponsesWereCut() {
        server.isDrained = false;
        assertThat(run()).isZero();
        assertThat(errors()).isEmpty();
    }

    // Nobody asked for a stop: who watches over the process is to start it again.
    @Test
    void run_ends_whenTheServerHasBrokenDown() {
        server.isServing = false;
        assertThat(run(StopSignals.manual(), "--stats")).isEqualTo(3);
        assertThat(errors()).startsWith("SWS statistics\n").endsWith("sws: stopped by itself; the log says why\n");
        assertThat(server.deadline).isNull(); // there is nobody to drain
    }

    @Test
    void help_isWellFormed() {
        assertThat(run("-h")).isZero();
        assertThat(run("--help", "--port", "0")).isZero();
        String help = out.toString(UTF_8);
        assertThat(help.lines())
                .allSatisfy(
                        line -> assertThat(line).hasSizeLessThanOrEqualTo(80).doesNotEndWith(" "));
        assertThat(help)
                .contains(
                        "[DIR]", "--root DIR", "--port N", "--bind ADDR", "--cores N|auto", "--stealing off|base|mely")
                .contains("--max-clients N", "--config FILE", "--stats", "--version", "--help");
        assertThat(errors()).isEmpty();
    }

    @Test
    void version_namesJavaAndSystem() {
        assertThat(run("--version")).isZero();
        assertThat(out.toString(UTF_8)).matches("sws \\d+\\.\\d+\\.\\S+ \\(Java \\S+, \\S.*\\)\\R");
    }

    @Test
    void readyLine_namesAddressAndSettings() throws Exception {
        SwsConfig config = SwsConfig.builder(Path.of("/srv/a\nb")).build();
        assertThat(ReadyLine.of(server, config))
                .isEqualTo("SWS listening on http://127.0.0.1:4711 (root /srv/a\\nb, 2 cores, stealing mely, epoll)");
    }

    @Test
    void readyLine_namesHttpsAndWhereItRedirects() throws Exception {
        server.redirectAddress = new InetSocketAddress("127.0.0.1", 80);
        SwsConfig config = SwsConfig.builder(Path.of("/srv"))
                .set(TlsSettings.CERTIFICATES, TlsFiles.certificates())
                .set(TlsSettings.ENGINE, TlsEngine.AUTO)
                .build();
        assertThat(ReadyLine.of(server, config))
                .isEqualTo("SWS listening on https://127.0.0.1:4711 (root /srv, 2 cores, stealing mely, epoll,"
                        + " redirecting http://127.0.0.1:80)");
    }

    private final class FakeServer implements Server {
        private InetSocketAddress redirectAddress;
        private int reloads;
        private int reopened;
        private IOException reloadFailure;
        private SwsConfig config;
        private Duration deadline;
        private InetSocketAddress address = new InetSocketAddress("127.0.0.1", 4711);
        private boolean isDrained = true;
        private boolean isServing = true;

        Server start(SwsConfig newConfig) {
            config = newConfig;
            return this;
        }

        @Override
        public Program.@Nullable Monitored monitored() {
            return null;
        }

        @Override
        public InetSocketAddress localAddress() {
            return address;
        }

        @Override
        public InetSocketAddress redirectAddress() {
            return redirectAddress;
        }

        @Override
        public void reload(SwsConfig next) throws IOException {
            config = next;
            reloads++;
            signals.onSignal(15); // else it would serve on
            if (reloadFailure != null) {
                throw reloadFailure;
            }
        }

        @Override
        public void reopenLog() {
            reopened++;
            signals.onSignal(15);
        }

        @Override
        public String transport() {
            return "epoll";
        }

        @Override
        public boolean isServing() {
            return isServing;
        }

        @Override
        public boolean close(Duration newDeadline) {
            deadline = newDeadline;
            return isDrained;
        }

        @Override
        public MelyStats stats() {
            return StatsReportTest.stats();
        }

        @Override
        public SwsStats counters() {
            return StatsReportTest.counters();
        }
    }
}
