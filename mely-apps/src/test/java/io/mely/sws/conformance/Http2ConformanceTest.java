// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.sws.Http2Client;
import io.mely.sws.SwsConfig;
import io.mely.sws.SwsServer;
import io.mely.sws.SwsSettings;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Property: a request of the table that HTTP/2 can say is answered as by HTTP/1.1, on one connection after the other. What is about the connection, or the framing of HTTP/1.1, is left out;
 * a request that is malformed by the rules of HTTP/2 is reset where 400 is expected.
 */
class Http2ConformanceTest {
    private static final Pattern REQUEST_LINE = Pattern.compile("([!-~]+) ([!-\\xff]+) HTTP/1\\.1");
    private static final Pattern FIELD = Pattern.compile("([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \\t]*(.*?)[ \\t]*");
    private static final Set<String> OF_HTTP11 = Set.of(
            "connection",
            "keep-alive",
            "proxy-connection",
            "transfer-encoding",
            "upgrade",
            "te",
            "trailer",
            "http2-settings");
    private static final String END_OF_HEAD = "\r\n\r\n";

    /** What the client puts into one frame. */
    private static final int FRAME_BYTES_MAX = 16_000;

    @TempDir
    Path temp;

    /** A request as HTTP/2 says it. */
    private record Mapped(String method, String target, List<String> fields, byte[] body) {}

    /** Null if it cannot be said. */
    private static @Nullable Mapped map(ConformanceCase each, Http2Client client) {
        List<RequestText.Step> steps = RequestText.parse(each.request(), path -> tag(client, path));
        boolean isOne = steps.size() == 1 && steps.get(0).then() == RequestText.Then.GO_ON;
        Expectation expected = each.expected().get(0);
        boolean isOfHttp11 = each.expected().size() > 1
                || expected.has("continue")
                || expected.has("nocontinue")
                || expected.allowsNone()
                || expected.conditions().stream().anyMatch(c -> c.contains("Connection"));
        return isOne && !isOfHttp11 ? map(new String(steps.get(0).bytes(), StandardCharsets.ISO_8859_1)) : null;
    }

    private static @Nullable Mapped map(String request) {
        int end = request.indexOf(END_OF_HEAD);
        if (end < 0 || request.length() > FRAME_BYTES_MAX) {
            return null;
        }
        String[] lines = request.substring(0, end).split("\r\n", -1);
        Matcher line = REQUEST_LINE.matcher(lines[0]);
        if (!line.matches() || !(line.group(2).startsWith("/") || line.group(2).equals("*"))) {
            return null;
        }
        byte[] body = request.substring(end + END_OF_HEAD.length()).getBytes(StandardCharsets.ISO_8859_1);
        List<String> fields =
                new ArrayList<>(List.of(":method", line.group(1), ":scheme", "http", ":path", line.group(2)));
        int hosts = 0;
        int length = 0;
        for (int i = 1; i < lines.length; i++) {
            Matcher field = FIELD.matcher(lines[i]);
            String name = field.matches() ? field.group(1).toLowerCase(Locale.ROOT) : "connection";
            if (OF_HTTP11.contains(name)) {
                return null;
            }
            if (name.equals("host")) {
                hosts++;
            }
            if (name.equals("content-length")) {
                length = field.group(2).matches("[0-9]{1,6}") ? Integer.parseInt(field.group(2)) : -1;
            }
            fields.add(name);
            fields.add(field.group(2));
        }
        return hosts == 1 && length == body.length ? new Mapped(line.group(1), line.group(2), fields, body) : null;
    }

    private static String tag(Http2Client client, String path) {
        try {
            return get(client, path).value("ETag");
        } catch (IOException e) {
            throw new AssertionError(path, e);
        }
    }

    private static Reply get(Http2Client client, String target) throws IOException {
        return send(
                client,
                new Mapped(
                        "GET",
                        target,
                        List.of(":method", "GET", ":scheme", "http", ":path", target, "host", "x"),
                        new byte[0]));
    }

    private static Reply send(Http2Client client, Mapped request) throws IOException {
        boolean hasBody = request.body.length > 0;
        int stream = client.headers(!hasBody, request.fields.toArray(new String[0]));
        if (hasBody) {
            client.data(stream, request.body, true);
        }
        Http2Client.Response response = client.response(stream);
        List<Reply.Field> fields = new ArrayList<>();
        response.fields().forEach((name, value) -> fields.add(new Reply.Field(name, value)));
        return new Reply(response.status(), fields, response.body(), List.of());
    }

    /** Null if it passes. */
    private static @Nullable String run(ConformanceCase each, Mapped mapped, Http2Client client) throws IOException {
        try {
            Reply reply = send(client, mapped);
            return each.expected().get(0).check(reply, mapped.target, target -> get(client, target));
        } catch (Http2Client.ResetException e) {
            return each.expected().get(0).statuses().contains("400") ? null : e.getMessage();
        }
    }

    @Test
    void casesThatHttp2CanSay_areAnsweredAlike() throws Exception {
        SwsConfig config = SwsConfig.builder(TestSite.write(temp))
                .bind(new InetSocketAddress("127.0.0.1", 0))
                .set(SwsSettings.CORES, 2)
                .build();
        List<String> failures = new ArrayList<>();
        int said = 0;
        try (SwsServer server = SwsServer.start(config);
                Http2Client client = Http2Client.connect(server.localAddress(), false)) {
            for (ConformanceCase each : CaseTable.bundled()) {
                Mapped mapped = map(each, client);
                if (mapped != null) {
                    said++;
                    String failure = run(each, mapped, client);
                    if (failure != null) {
                        failures.add(each + ": " + failure);
                    }
                }
            }
        }
        assertThat(failures).isEmpty();
        assertThat(said).as("cases").isEqualTo(SAID);
    }

    /** As docs/conformance.md says. */
    private static final int SAID = 326;
}
