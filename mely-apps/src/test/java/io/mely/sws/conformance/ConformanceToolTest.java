// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mely.sws.conformance.Runner.Result;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Property: the suite catches servers that are wrong, and says what is wrong with a table or a command. */
@Timeout(60)
class ConformanceToolTest {
    private static final int TIMEOUT_MS = 300;

    @TempDir
    Path temp;

    /** A server that says the same to everybody, and then closes. */
    private static Result judge(String expected, String response) throws IOException {
        ConformanceCase each = CaseTable.parse(
                        List.of("[Group]", "name | 9110 1 | MUST | GET /kilo.bin{H}~ | " + expected))
                .get(0);
        try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Thread speaker = new Thread(() -> speak(server, response));
            speaker.start();
            return new Runner(new InetSocketAddress(server.getInetAddress(), server.getLocalPort()), TIMEOUT_MS)
                    .run(each);
        }
    }

    private static void speak(ServerSocket server, String response) {
        try (Socket client = server.accept()) {
            client.getInputStream().read(new byte[1000]);
            client.getOutputStream().write(response.getBytes(StandardCharsets.ISO_8859_1));
        } catch (IOException theTestIsOver) {
            // nobody listens
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "200; closed | HTTP/1.1 200 OK~Content-Length: 2~~hi | ",
                "200,404; body=hi | HTTP/1.1 404 Not Found~Content-Length: 2~~hi | ",
                "200; body#3 | HTTP/1.1 200 OK~Transfer-Encoding: chunked~~3~abc~0~~ | ",
                "none | '' | ",
                "200 | HTTP/1.1 404 Not Found~Content-Length: 0~~ | status 404, not 200",
                "200; body=ho | HTTP/1.1 200 OK~Content-Length: 2~~hi | body is hi, not ho",
                "200 | HTTP/1.1 200 OK~Content-Length: 3~~hi | body ended after 2 of 3",
                "200 | HTTP/1.1 200 OK~Content-Length: 1~Content-Length: 1~~h | ambiguous framing",
                "204 | HTTP/1.1 204 No Content~Content-Length: 0~~ | framing in a response that has no body",
                "200; kept | HTTP/1.1 200 OK~Content-Length: 2~~hi | closed",
                "200; kept | HTTP/1.1 200 OK~Connection: close~Content-Length: 0~~ | Connection: close",
                "304; nobody | HTTP/1.1 304 Not Modified~~left over | ended in: left over",
                "200; closed | HTTP/1.1 200 OK~Content-Length: 2~~hi! | not closed",
                "200; +ETag | HTTP/1.1 200 OK~Content-Length: 0~~ | no field ETag",
                "200; -ETag | HTTP/1.1 200 OK~ETag: x~Content-Length: 0~~ | a field ETag",
                "200; ETag=y | HTTP/1.1 200 OK~ETag: x~Content-Length: 0~~ | ETag is x, not y",
                "200; date | HTTP/1.1 200 OK~Date: today~Content-Length: 0~~ | Date: today",
                "200; ranges | HTTP/1.1 200 OK~Content-Length: 2~~hi | not the whole file",
                "206; ranges | HTTP/1.1 206 Part~Content-Range: bytes 0-1/1000~Content-Length: 2~~hi | other bytes",
                "206; ranges | HTTP/1.1 206 Part~Content-Range: bytes 0-1/9~Content-Length: 2~~hi | Content-Range",
                "200; nocontinue | HTTP/1.1 100 Continue~~HTTP/1.1 200 OK~Content-Length: 0~~ | a 100 that nobody",
                "301; onsite | HTTP/1.1 301 Moved~Location: //evil~Content-Length: 0~~ | Location: //evil",
                "200 | HTTP/1.1 200 OK~Content-Length: 10~~TOP-SECRET | sent what is secret",
                "200 | HTTP/1.1 200 OK~Bad Name: x~~ | field line",
                "200 | HTTP/1.0 200 OK~~ | status line",
                "200 | 220 smtp.example~~ | status line",
                "200 | '' | closed without a response",
            })
    void wrongServer_isCaught(String expected, String response, String failure) throws IOException {
        Result result = judge(expected, response.replace("~", "\r\n"));
        if (failure == null) {
            assertThat(result.failure()).isNull();
        } else {
            assertThat(result.failure()).startsWith(failure);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "name | 9110 1 | MUST | GET / | ",
                "name | 9110 1 | MUST | GET /",
                "name | 9110 1 | MUST | GET / | 20",
                "name | 9110 1 | MUST | GET / | 200; whatever",
                "name | 9110 1 | MUST | GET {/ | 200",
                "name | 9110 1 | MUST | GET {what} | 200",
                "name | 9110 1 | MUST | GET {a*99999999} | 200",
                "name | 9110 1 | MUST | GET \\q | 200",
                "name | 9110 1 | MIGHT | GET / | 200",
            })
    void wrongTable_isRefused_withItsLine(String line) {
        assertThatThrownBy(() -> CaseTable.parse(List.of("[Group]", line)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("cases.txt, line 2: ");
    }

    @Test
    void table_namesAreUnique_andThereAreMany() throws IOException {
        assertThat(CaseTable.bundled()).hasSizeGreaterThan(500);
        String line = "name | 9110 1 | MUST | GET / | 200";
        assertThatThrownBy(() -> CaseTable.parse(List.of("[Group]", line, line)))
                .hasMessageContaining("name must be unique: Group: name");
    }

    @Test
    void commands() throws Exception {
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        Conformance tool = new Conformance(new PrintStream(printed, true, StandardCharsets.UTF_8));
        assertThat(tool.run("site", temp.toString())).isZero();
        assertThat(temp.resolve("root/dir/index.html")).hasContent("index of dir");
        Path page = Files.writeString(
                temp.resolve("page.md"), "before\n" + Report.START + "old\n" + Report.END + "after\n");
        assertThatThrownBy(() -> tool.run("report", page.toString())).hasMessageContaining("there must be a server");
        assertThatThrownBy(() -> tool.run("report", page.toString(), "x")).hasMessageContaining("NAME=HOST:PORT: x");
        assertThatThrownBy(() -> tool.run("run", "localhost")).hasMessageContaining("HOST:PORT: localhost");
        assertThatThrownBy(() -> tool.run("run", "localhost:1", "no such case")).hasMessageContaining("no such case");
        assertThatThrownBy(tool::run).hasMessageStartingWith("usage: ");
        assertThat(page).hasContent("before\n" + Report.START + "old\n" + Report.END + "after\n");
    }

    @Test
    void report_hasTotalsAndFailures() throws IOException {
        List<ConformanceCase> cases = CaseTable.bundled();
        String page = new Report()
                .add("A", cases.stream().map(each -> new Result(each, null)).toList())
                .add("B", cases.stream().map(each -> new Result(each, "a|b")).toList())
                .markdown();
        assertThat(page)
                .startsWith(Report.START)
                .endsWith(Report.END)
                .contains("| all | " + cases.size() + " of " + cases.size() + " (100.0 %) | 0 of " + cases.size())
                .contains("## What A fails\n\nNothing.\n")
                .contains("| a\\|b |");
    }
}
