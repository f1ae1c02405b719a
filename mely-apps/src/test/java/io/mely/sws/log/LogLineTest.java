// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.log;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigParseOptions;
import com.typesafe.config.ConfigSyntax;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Random;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class LogLineTest {
    private static final long SECOND = Instant.parse("2026-11-21T15:04:05Z").getEpochSecond();
    private static final Pattern COMBINED = Pattern.compile(
            "192\\.0\\.2\\.1 - [^ \"]+ \\[21/Nov/2026:15:04:05 \\+0000] \"[^\"]*\" 200 5 \"[^\"]*\" \"[^\"]*\"\n");

    private static String line(LogFormat format, String request, String referer, String agent) {
        return line(format, "", request, referer, agent);
    }

    private static String line(LogFormat format, String name, String request, String referer, String agent) {
        byte[] user = name.getBytes(StandardCharsets.ISO_8859_1);
        byte[] in = (request + referer + agent).getBytes(StandardCharsets.ISO_8859_1);
        int refererStart = request.length();
        int agentStart = refererStart + referer.length();
        int room = LogLine.bytesMax(9, user.length, request.length(), referer.length(), agent.length());
        byte[] out = new byte[1 + room + 1];
        int length = new LogLine(format)
                .write(
                        out,
                        1,
                        "192.0.2.1".getBytes(StandardCharsets.US_ASCII),
                        user,
                        SECOND,
                        in,
                        0,
                        request.length(),
                        200,
                        5,
                        refererStart,
                        agentStart,
                        agentStart,
                        in.length);
        assertThat(out[0]).isZero();
        assertThat(length).isLessThanOrEqualTo(room);
        return new String(out, 1, length, StandardCharsets.ISO_8859_1);
    }

    private static Config json(String line) {
        return ConfigFactory.parseString(line, ConfigParseOptions.defaults().setSyntax(ConfigSyntax.JSON));
    }

    @Test
    void write_combined() {
        assertThat(line(LogFormat.COMBINED, "GET /a HTTP/1.1", "http://x/", "curl/8"))
                .isEqualTo(
                        "192.0.2.1 - - [21/Nov/2026:15:04:05 +0000] \"GET /a HTTP/1.1\" 200 5 \"http://x/\" \"curl/8\"\n");
        assertThat(line(LogFormat.COMBINED, "", "", ""))
                .isEqualTo("192.0.2.1 - - [21/Nov/2026:15:04:05 +0000] \"-\" 200 5 \"-\" \"-\"\n");
        assertThat(line(LogFormat.COMBINED, "ada", "GET /a HTTP/1.1", "", "curl/8"))
                .isEqualTo("192.0.2.1 - ada [21/Nov/2026:15:04:05 +0000] \"GET /a HTTP/1.1\" 200 5 \"-\" \"curl/8\"\n");
        assertThat(line(LogFormat.COMBINED, " a - [b]\"\n\u00ff ", "", "", ""))
                .startsWith("192.0.2.1 - \\x20a\\x20-\\x20[b]\\x22\\x0a\\xff\\x20 [21/Nov");
        assertThat(line(LogFormat.COMBINED, "\u0016\u0003\u0001\u00ff\"\\", "", "a\tb"))
                .contains(" \"\\x16\\x03\\x01\\xff\\x22\\x5c\" ", "\"a\\x09b\"");
    }

    @Test
    void write_json() {
        Config read = json(line(LogFormat.JSON, "GET /a\"b HTTP/1.1", "", "caf\u00e9\\\u0007"));
        assertThat(read.getString("time")).isEqualTo("2026-11-21T15:04:05Z");
        assertThat(read.getString("client")).isEqualTo("192.0.2.1");
        assertThat(read.getString("user")).isEmpty();
        assertThat(json(line(LogFormat.JSON, "a b\"\n", "", "", "")).getString("user"))
                .isEqualTo("a b\"\n");
        assertThat(read.getString("request")).isEqualTo("GET /a\"b HTTP/1.1");
        assertThat(read.getInt("status")).isEqualTo(200);
        assertThat(read.getLong("bytes")).isEqualTo(5);
        assertThat(read.getString("referer")).isEmpty();
        assertThat(read.getString("agent")).isEqualTo("caf\u00e9\\\u0007");
    }

    // Whatever bytes a client sends, there is one line, its fields stand where they belong, and JSON gives the bytes
    // back.
    @Test
    void write_anyBytes_oneLine() {
        long seed = Long.getLong("mely.test.seed", System.nanoTime());
        Random random = new Random(seed);
        for (int i = 0; i < 2_000; i++) {
            String user = random(random, 60);
            String request = random(random, 60);
            String referer = random(random, 60);
            String agent = random(random, 60);
            assertThat(COMBINED.matcher(line(LogFormat.COMBINED, user, request, referer, agent))
                            .matches())
                    .as("seed %s", seed)
                    .isTrue();
            String json = line(LogFormat.JSON, user, request, referer, agent);
            assertThat(json.indexOf('\n')).as("seed %s", seed).isEqualTo(json.length() - 1);
            assertThat(json(json).getString("user")).as("seed %s", seed).isEqualTo(user);
            assertThat(json(json).getString("request")).as("seed %s", seed).isEqualTo(request);
            assertThat(json(json).getString("referer")).as("seed %s", seed).isEqualTo(referer);
            assertThat(json(json).getString("agent")).as("seed %s", seed).isEqualTo(agent);
        }
    }

    // Every byte, in every place of a word and behind it, is escaped if it must be, and nothing else is.
    @Test
    void write_oneByte_isEscapedWhereverItStands() {
        for (int length = 1; length <= 20; length++) {
            for (int place = 0; place < length; place++) {
                for (int b = 0; b < 256; b++) {
                    String agent = "a".repeat(place) + (char) b + "~".repeat(length - place - 1);
                    boolean isPlain = b >= ' ' && b < 0x7f && b != '"' && b != '\\';
                    String written = isPlain ? agent : agent.replace((char) b + "", String.format("\\x%02x", b));
                    assertThat(line(LogFormat.COMBINED, "GET", "", agent)).endsWith(" \"" + written + "\"\n");
                }
            }
        }
    }

    private static String random(Random random, int max) {
        byte[] bytes = new byte[random.nextInt(max)];
        random.nextBytes(bytes);
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    // The longest of everything, all of it escaped, is cut and fits.
    @Test
    void write_tooLong_isCut() {
        String line =
                line(LogFormat.JSON, "\n".repeat(9_000), "\n".repeat(9_000), "\n".repeat(9_000), "\n".repeat(9_000));
        assertThat(json(line).getString("user")).hasSize(LogLine.FIELD_MAX);
        assertThat(line.length()).isLessThanOrEqualTo(LogLine.BYTES_MAX);
        assertThat(json(line).getString("request")).hasSize(LogLine.REQUEST_MAX);
        assertThat(json(line).getString("agent")).hasSize(LogLine.FIELD_MAX);
    }
}
