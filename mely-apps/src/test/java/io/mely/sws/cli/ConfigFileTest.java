// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.mely.cli.ConfigFile;
import io.mely.cli.UsageException;
import io.mely.cli.Values;
import io.mely.sws.SwsSettings;
import io.mely.sws.http.ErrorPage;
import io.mely.sws.http.HeaderRule;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ConfigFileTest {
    @TempDir
    Path folder;

    private static List<String> problems(String text) {
        return catchThrowableOfType(UsageException.class, () -> ConfigFile.readText(Settings.TABLE, "f.conf", text))
                .problems();
    }

    @Test
    void read_takesValuesInTheirUnits() throws Exception {
        Values values = ConfigFile.readText(Settings.TABLE, "f.conf", """
                port = 9000
                cores = auto
                cache-budget = 64 MiB
                idle-timeout = 1.5 s
                "slice" : "8 KiB"
                listing = on
                index-files = [index.html, "start page.html"]
                error-pages = ["404 errors/404.html", "403 /srv/403.html"]
                headers = ["/assets/** Cache-Control: public, max-age=60"]
                root = ${NO_SUCH_VARIABLE_FOR_SURE}"/srv"
                """.replace("${NO", "${?NO"));
        assertThat(values.get(Settings.PORT)).isEqualTo(9000);
        assertThat(values.get(SwsSettings.CORES)).isZero();
        assertThat(values.get(SwsSettings.CACHE_BUDGET)).isEqualTo(64L << 20);
        assertThat(values.get(SwsSettings.IDLE_TIMEOUT)).isEqualTo(Duration.ofMillis(1500));
        assertThat(values.get(SwsSettings.SLICE)).isEqualTo(8192);
        assertThat(values.get(SwsSettings.LISTING)).isTrue();
        assertThat(values.get(SwsSettings.INDEX_FILES)).containsExactly("index.html", "start page.html");
        assertThat(values.get(SwsSettings.ERROR_PAGES))
                .containsExactly(
                        new ErrorPage(404, Path.of("errors/404.html")), new ErrorPage(403, Path.of("/srv/403.html")));
        assertThat(values.get(SwsSettings.HEADERS))
                .containsExactly(new HeaderRule("/assets/**", "Cache-Control", "public, max-age=60"));
        assertThat(SwsSettings.HEADERS.type().parse("/a X: y, z\n\n /b X: w \n"))
                .containsExactly(new HeaderRule("/a", "X", "y, z"), new HeaderRule("/b", "X", "w"));
        assertThat(values.get(Settings.ROOT)).isEqualTo(Path.of("/srv"));
        assertThat(values.isGiven(Settings.BIND)).isFalse();
    }

    // Each mistake is told with its file, line and key, and what would do.
    static List<Arguments> mistakes() {
        return List.of(
                Arguments.of("\nprot = 80", "f.conf:2: unknown key 'prot'; the nearest known key is port"),
                Arguments.of(
                        "cache {\n budget = 1 MiB\n}",
                        "f.conf:2: unknown key 'cache.budget'; the nearest known key is cache-budget"),
                Arguments.of("sws.port = 80", "f.conf:1: unknown key 'sws.port'; the nearest known key is port"),
                Arguments.of("\"a\\nb\" = 1", "f.conf:1: unknown key 'a\\nb'; the nearest known key is"),
                Arguments.of("\n\nport = abc", "f.conf:3: port = abc: not allowed; allowed: 0 to 65535"),
                Arguments.of("port = 65536", "f.conf:1: port = 65536: not allowed; allowed: 0 to 65535"),
                Arguments.of("port = 8e3", "f.conf:1: port = 8e3: not allowed; allowed: 0 to 65535"),
                Arguments.of("port = 80.5", "f.conf:1: port = 80.5: not allowed; allowed: 0 to 65535"),
                Arguments.of("port = true", "f.conf:1: port = true: not allowed; allowed: 0 to 65535"),
                Arguments.of("port = null", "f.conf:1: port = null: not allowed; allowed: 0 to 65535"),
                Arguments.of("port = [80]", "f.conf:1: port = [80]: not allowed; allowed: 0 to 65535"),
                Arguments.of("port { a = 1 }", "f.conf:1: port = {\"a\":1}: not allowed; allowed: 0 to 65535"),
                Arguments.of("port.a = 1", "f.conf:1: port = {\"a\":1}: not allowed; allowed: 0 to 65535"),
                Arguments.of("port =", "f.conf:1: "),
                Arguments.of(
                        "bind = \"\"",
                        "f.conf:1: bind = '': not allowed; allowed: an IP address of this machine or a host name"),
                Arguments.of("cores = 0", "f.conf:1: cores = 0: not allowed; allowed: auto, or 1 to 1024"),
                Arguments.of("stealing = some", "f.conf:1: stealing = some: not allowed; allowed: off, base or mely"),
                Arguments.of(
                        "idle-timeout = 30",
                        "f.conf:1: idle-timeout = 30: not allowed; allowed: a time with its unit, 1 ms to 86400 s"),
                Arguments.of("slice = 1 B", "f.conf:1: slice = '1 B': not allowed; allowed: a size, 4 KiB to 1 GiB"),
                Arguments.of(
                        "index-files = [a/b]",
                        "f.conf:1: index-files = [\"a/b\"]: not allowed; allowed: file names without slash or leading dot"),
                Arguments.of(
                        "index-files = [{}]",
                        "f.conf:1: index-files = [{}]: not allowed; allowed: file names without slash or leading dot"),
                Arguments.of(
                        "error-pages = [\"404 a\", \"404 b\"]",
                        "f.conf:1: error-pages = '[\"404 a\",\"404 b\"]': not allowed; allowed: "
                                + "STATUS FILE, for a status of 400 to 505 that SWS answers, each once"),
                Arguments.of(
                        "headers = [\"/a Date: now\"]",
                        "f.conf:1: headers = '[\"/a Date: now\"]': not allowed; allowed: "
                                + "PATTERN NAME: VALUE, for a field that SWS does not send itself"),
                Arguments.of(
                        "listing = maybe",
                        "f.conf:1: listing = maybe: not allowed; allowed: true, false, yes, no, on or off"),
                Arguments.of("port = 1\nbind = \"::1\"\nport = 2", "f.conf:3: port is given twice; before in line 1"),
                Arguments.of("port = 1, port = 2", "f.conf:1: port is given twice; before in line 1"),
                Arguments.of("a = 1\nport = [1", "f.conf:"),
                Arguments.of("port 80", "f.conf:1: "),
                Arguments.of("port = ${nowhere}", "f.conf:1: "),
                Arguments.of(
                        "\ninclude \"other.conf\"", "f.conf:2: include is not supported: a configuration is one file"),
                Arguments.of(
                        "\ninclude url(\"http://127.0.0.1/\")",
                        "f.conf:2: include is not supported: a configuration is one file"));
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    void read_explainsMistake(String text, String start) {
        assertThat(problems(text)).singleElement().asString().startsWith(start).doesNotContain("\n");
    }

    // All mistakes are told at once, in the file's order; of a key given twice the library keeps the last value only.
    @Test
    void read_tellsAllMistakes() {
        assertThat(problems("slcie = 1\nport = 1\n\ncores = y\nport = x\n"))
                .satisfiesExactly(
                        first -> assertThat(first).startsWith("f.conf:1: unknown key 'slcie'"),
                        second -> assertThat(second).startsWith("f.conf:4: cores = y"),
                        third -> assertThat(third).startsWith("f.conf:5: port is given twice"),
                        fourth -> assertThat(fourth).startsWith("f.conf:5: port = x"));
    }

    @Test
    void read_explainsFilesThatCannotBeRead() throws Exception {
        Path missing = folder.resolve("missing.conf");
        Path binary = folder.resolve("binary.conf");
        Path large = folder.resolve("large.conf");
        Files.write(binary, "root = \"\u00e4\"".getBytes(ISO_8859_1));
        Files.write(large, "#".repeat((1 << 20) + 1).getBytes(UTF_8));
        assertThat(fileProblem(missing)).isEqualTo("configuration file '" + missing + "': no such file");
        assertThat(fileProblem(binary)).isEqualTo("configuration file '" + binary + "': not UTF-8 text");
        assertThat(fileProblem(large)).isEqualTo("configuration file '" + large + "': longer than 1 MiB");
        assertThat(fileProblem(folder)).startsWith("configuration file '" + folder + "': ");
    }

    private static String fileProblem(Path file) {
        UsageException wrong =
                catchThrowableOfType(UsageException.class, () -> ConfigFile.read(Settings.TABLE, file.toString()));
        assertThat(wrong.problems()).hasSize(1);
        return wrong.problems().get(0);
    }

    // An empty file is a configuration: all defaults.
    @Test
    void read_acceptsEmptyFile() throws Exception {
        Path empty = Files.createFile(folder.resolve("empty.conf"));
        assertThat(ConfigFile.read(Settings.TABLE, empty.toString()).isGiven(Settings.PORT))
                .isFalse();
    }
}
