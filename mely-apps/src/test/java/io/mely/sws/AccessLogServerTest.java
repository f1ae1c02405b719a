// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import at.favre.lib.crypto.bcrypt.BCrypt;
import com.typesafe.config.ConfigFactory;
import io.mely.sws.log.LogFormat;
import io.mely.sws.rules.LoginRule;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What stands in the access log after requests on real sockets. */
class AccessLogServerTest extends SwsServerHarness {
    @Override
    SwsConfig.Transport transport() {
        return SwsConfig.Transport.AUTO;
    }

    private Path path() {
        return temp.resolve("access.log");
    }

    /** Without what stands before the request line: address and time. */
    private List<String> linesAfterClose() throws Exception {
        closeClients();
        server.close(PATIENCE);
        List<String> lines = new ArrayList<>();
        for (String line : Files.readAllLines(path())) {
            assertThat(line).matches("127\\.0\\.0\\.1 - - \\[\\d\\d/\\w{3}/\\d{4}:\\d\\d:\\d\\d:\\d\\d \\+0000] \".*");
            lines.add(line.substring(line.indexOf('"')));
        }
        return lines;
    }

    // One line for each answer, in the order of the connection, with its status and the length of its body.
    @Test
    void everyAnswer_hasItsLine() throws Exception {
        start(builder -> builder.set(SwsSettings.ACCESS_LOG, path().toString())
                .set(SwsSettings.CORES, 1)); // others write lines of their own
        RawClient client = connect();
        client.send("GET /a.html?x=1 HTTP/1.1\r\n" + HOST + "Referer: http://x/\r\nUser-Agent: test/1\r\n\r\n");
        String tag = client.response().field("ETag");
        client.send("HEAD /a.html HTTP/1.1\r\n" + HOST + "\r\n").response(true);
        client.send("GET /a.html HTTP/1.1\r\n" + HOST + "If-None-Match: " + tag + "\r\n\r\n")
                .response();
        client.send("GET /large.bin HTTP/1.1\r\n" + HOST + "Range: bytes=10-19\r\n\r\n")
                .response();
        client.send("GET /b.txt HTTP/1.1\r\n" + HOST + "Range: bytes=0-0,2000-2001\r\n\r\n")
                .response();
        client.get("/missing").response();
        client.get("/large.bin").response();
        client.get("/dir").response();
        client.send("POST /a.html HTTP/1.1\r\n" + HOST + "Content-Length: 3\r\n\r\nabc")
                .response();
        client.send("\r\nGET /a.html HTTP/1.1\r\n" + HOST + "\r\nGET /c.txt HTTP/1.1\r\n" + HOST + "\r\n");
        client.response();
        client.response();
        client.send("nonsense\r\n\r\n").response();
        assertThat(client.isEnded()).isTrue();
        List<String> lines = linesAfterClose();
        assertThat(lines).element(0).isEqualTo("\"GET /a.html?x=1 HTTP/1.1\" 200 5 \"http://x/\" \"test/1\"");
        assertThat(lines).element(1).isEqualTo("\"HEAD /a.html HTTP/1.1\" 200 0 \"-\" \"-\"");
        assertThat(lines).element(2).isEqualTo("\"GET /a.html HTTP/1.1\" 304 0 \"-\" \"-\"");
        assertThat(lines).element(3).isEqualTo("\"GET /large.bin HTTP/1.1\" 206 10 \"-\" \"-\"");
        assertThat(lines.get(4)).matches("\"GET /b.txt HTTP/1.1\" 206 [1-9][0-9]+ \"-\" \"-\"");
        assertThat(lines.get(5)).matches("\"GET /missing HTTP/1.1\" 404 [1-9][0-9]+ \"-\" \"-\"");
        assertThat(lines).element(6).isEqualTo("\"GET /large.bin HTTP/1.1\" 200 " + LARGE + " \"-\" \"-\"");
        assertThat(lines).element(7).isEqualTo("\"GET /dir HTTP/1.1\" 301 0 \"-\" \"-\"");
        assertThat(lines.get(8)).matches("\"POST /a.html HTTP/1.1\" 405 [1-9][0-9]+ \"-\" \"-\"");
        assertThat(lines).element(9).isEqualTo("\"GET /a.html HTTP/1.1\" 200 5 \"-\" \"-\"");
        assertThat(lines).element(10).isEqualTo("\"GET /c.txt HTTP/1.1\" 200 20000 \"-\" \"-\"");
        assertThat(lines.get(11)).matches("\"nonsense\" 400 [1-9][0-9]+ \"-\" \"-\"");
        assertThat(lines).hasSize(12);
    }

    private static String get(String target, String nameAndPassword) {
        String credentials = Base64.getEncoder().encodeToString(nameAndPassword.getBytes(StandardCharsets.UTF_8));
        return "GET " + target + " HTTP/1.1\r\n" + HOST + "Authorization: Basic " + credentials + "\r\n\r\n";
    }

    // Who logged in, or tried to, has a name where one is asked for; nobody has the name of the request before.
    @Test
    void users_areNamed_whereOneIsAskedFor() throws Exception {
        Path users = temp.resolve("users");
        Files.writeString(users, "a b\u00e9:" + BCrypt.withDefaults().hashToString(4, "secret".toCharArray()) + "\n");
        start(builder -> builder.set(SwsSettings.ACCESS_LOG, path().toString())
                .set(SwsSettings.LOGINS, List.of(LoginRule.parse("/dir/** " + users))));
        RawClient client = connect();
        client.send(get("/dir/", "a b\u00e9:secret") + get("/a.html", "a b\u00e9:secret"));
        client.send("GET /dir/ HTTP/1.1\r\n" + HOST + "\r\n" + get("/dir/", "\" - [:wrong"));
        for (int status : new int[] {200, 200, 401, 401}) {
            assertThat(client.response().status()).isEqualTo(status);
        }
        Http2Client second = Http2Client.connect(server.localAddress(), false);
        clients.add(second);
        String credentials = get("/", "a b\u00e9:secret").split("Authorization: |\r\n\r\n")[1];
        assertThat(second.fetch("/dir/", "authorization", credentials).text()).isEqualTo("index");
        assertThat(second.fetch("/dir/").status()).isEqualTo(401);
        closeClients();
        server.close(PATIENCE);
        assertThat(Files.readAllLines(path()))
                .extracting(line -> line.replaceAll("127\\.0\\.0\\.1 - (\\S+) \\[\\d.* (\\d{3}) \\d.*", "$1 $2"))
                .containsExactlyInAnyOrder( // each core has a buffer of its own
                        "a\\x20b\\xc3\\xa9 200",
                        "- 200",
                        "- 401",
                        "\\x22\\x20-\\x20[ 401",
                        "a\\x20b\\xc3\\xa9 200",
                        "- 401");
    }

    // Fields of one request are not left over for the next, and those who are refused at the door are told of too.
    @Test
    void refused_andBare_haveDashes() throws Exception {
        start(builder ->
                builder.set(SwsSettings.ACCESS_LOG, path().toString()).set(SwsSettings.CLIENT_CONNECTIONS_MAX, 1));
        RawClient client = connect();
        client.send("GET /a.html HTTP/1.1\r\n" + HOST + "User-Agent: test/1\r\n\r\n")
                .response();
        client.get("/a.html").response();
        RawClient refused = connect();
        assertThat(refused.response().status()).isEqualTo(429);
        List<String> lines = linesAfterClose();
        assertThat(lines).contains("\"GET /a.html HTTP/1.1\" 200 5 \"-\" \"-\"");
        assertThat(lines).anyMatch(line -> line.matches("\"-\" 429 [1-9][0-9]+ \"-\" \"-\""));
        assertThat(lines).hasSize(3);
    }

    // Newcomers of an overloaded server, who are answered without being let in, have the line of what they have asked.
    @Test
    void overload_newcomers_haveTheirLine() throws Exception {
        start(builder -> builder.set(SwsSettings.ACCESS_LOG, path().toString())
                .set(SwsSettings.CORES, 1)
                .set(SwsSettings.OVERLOAD_TARGET, Duration.ofNanos(1))
                .set(SwsSettings.OVERLOAD_INTERVAL, Duration.ofMillis(1)));
        int answers = 0;
        int refused = 0;
        while (refused < 20) {
            assertThat(answers).isLessThan(20_000);
            List<RawClient> crowd = new ArrayList<>();
            for (int i = 0; i < NEWCOMERS; i++) {
                RawClient client = new RawClient(server.localAddress());
                clients.add(client);
                crowd.add(client.get("/a.html"));
            }
            for (RawClient each : crowd) {
                refused += each.response().status() == 503 ? 1 : 0;
                answers++;
                each.close();
            }
            clients.clear();
        }
        List<String> lines = linesAfterClose();
        assertThat(lines).hasSize(answers);
        assertThat(lines).anyMatch(line -> line.matches("\"GET /a\\.html HTTP/1\\.1\" 503 [1-9][0-9]+ \"-\" \"-\""));
    }

    // Nothing that a client sends can make a line of its own, or end a field early.
    @Test
    void injection_isEscaped() throws Exception {
        start(builder -> builder.set(SwsSettings.ACCESS_LOG, path().toString())
                .set(SwsSettings.ACCESS_LOG_FORMAT, LogFormat.JSON)
                .set(SwsSettings.CORES, 1));
        RawClient client = connect();
        client.send("GET /a.html HTTP/1.1\r\n" + HOST + "User-Agent: \", \"status\": 500 \u00e9\\\r\n\r\n");
        assertThat(client.response().status()).isEqualTo(200);
        client.send("GET /\"}\n{\"forged\":1} HTTP/1.1\r\n\r\n").response();
        assertThat(client.isEnded()).isTrue();
        closeClients();
        server.close(PATIENCE);
        List<String> lines = Files.readAllLines(path());
        assertThat(lines).hasSize(2);
        assertThat(ConfigFactory.parseString(lines.get(0)).getString("agent"))
                .isEqualTo("\", \"status\": 500 \u00e9\\");
        assertThat(ConfigFactory.parseString(lines.get(0)).getInt("status")).isEqualTo(200);
        assertThat(ConfigFactory.parseString(lines.get(1)).getString("request")).isEqualTo("GET /\"}");
    }

    // Under load every answer is in the log once: the books of both close.
    @Test
    void load_theBooksClose() throws Exception {
        start(builder -> builder.set(SwsSettings.ACCESS_LOG, path().toString()).set(SwsSettings.ACCESS_LOG_ROTATE, 0));
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            RawClient client = connect();
            threads.add(new Thread(() -> {
                try {
                    for (int j = 0; j < 200; j++) {
                        client.send(("GET /a.html HTTP/1.1\r\n" + HOST + "\r\n").repeat(10));
                        for (int k = 0; k < 10; k++) {
                            client.response();
                        }
                    }
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            }));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        int lines = linesAfterClose().size();
        assertThat(lines + server.requestStats().logDropped()).isEqualTo(8_000);
        assertThat(server.requestStats().responses2xx()).isEqualTo(8_000);
        assertThat(lines).isPositive();
    }

    @Test
    void start_logThatCannotBe_isRefused() {
        assertThatThrownBy(() -> start(builder -> builder.set(
                        SwsSettings.ACCESS_LOG, temp.resolve("none/x.log").toString())))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("no such folder");
    }
}
