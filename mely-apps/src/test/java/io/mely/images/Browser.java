// SPDX-License-Identifier: Apache-2.0
package io.mely.images;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Chromium without a window, steered by WebDriver (W3C): as much of it as the tests need. */
final class Browser implements AutoCloseable {
    private static final Pattern PORT = Pattern.compile("started successfully on port ([0-9]+)");
    private static final Pattern SESSION = Pattern.compile("\"sessionId\":\"([^\"]+)\"");

    private final HttpClient client = HttpClient.newHttpClient();
    private final Process driver;
    private final String at; // the session

    Browser(Path profile) throws IOException, InterruptedException {
        driver = new ProcessBuilder("chromedriver", "--port=0")
                .redirectErrorStream(true)
                .start();
        String session = "";
        String base = "";
        try {
            base = "http://127.0.0.1:" + portOf(driver) + "/session";
            String options = "{\"capabilities\":{\"alwaysMatch\":{\"goog:loggingPrefs\":{\"browser\":\"ALL\"},"
                    + "\"goog:chromeOptions\":{\"args\":[\"--headless\",\"--no-sandbox\",\"--disable-gpu\",\"--disable-quic\","
                    + "\"--no-first-run\",\"--disable-background-networking\",\"--disable-component-update\",\"--disable-sync\","
                    + "\"--window-size=1400,1600\",\"--user-data-dir=" + profile + "\"]}}}}";
            session = found(SESSION, post(base, options));
        } finally {
            if (session.isEmpty()) {
                driver.destroyForcibly();
            }
        }
        at = base + "/" + session;
    }

    private static String portOf(Process driver) throws IOException {
        BufferedReader said =
                new BufferedReader(new InputStreamReader(driver.getInputStream(), StandardCharsets.UTF_8));
        StringBuilder all = new StringBuilder();
        for (String line = said.readLine(); line != null; line = said.readLine()) {
            all.append(line).append('\n');
            if (PORT.matcher(line).find()) {
                return found(PORT, line);
            }
        }
        throw new AssertionError("chromedriver does not start: " + all);
    }

    private static String found(Pattern pattern, String text) {
        Matcher matcher = pattern.matcher(text);
        assertThat(matcher.find()).as(text).isTrue();
        return matcher.group(1);
    }

    private String post(String uri, String body) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(uri))
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
        HttpResponse<String> response = client.send(request, HttpResponse.BodyHandlers.ofString());
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return response.body();
    }

    private static String quoted(String text) {
        return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + "\"";
    }

    void open(String url) throws IOException, InterruptedException {
        post(at + "/url", "{\"url\":" + quoted(url) + "}");
    }

    /** The value of an expression, as JSON. */
    String value(String expression) throws IOException, InterruptedException {
        String answer = post(at + "/execute/sync", "{\"script\":" + quoted("return " + expression) + ",\"args\":[]}");
        return answer.substring("{\"value\":".length(), answer.length() - 1);
    }

    boolean is(String expression) throws IOException, InterruptedException {
        return value("Boolean(" + expression + ")").equals("true");
    }

    /** What the page has written to its console, and what the browser says there of errors; each once, as JSON. */
    List<String> console() throws IOException, InterruptedException {
        String answer = post(at + "/se/log", "{\"type\":\"browser\"}");
        String entries = answer.substring("{\"value\":[".length(), answer.lastIndexOf(']'));
        return entries.isEmpty() ? List.of() : List.of(entries.split("(?<=\\}),(?=\\{\"level\")"));
    }

    @Override
    public void close() throws IOException {
        try {
            client.send(
                    HttpRequest.newBuilder(URI.create(at)).DELETE().build(), HttpResponse.BodyHandlers.discarding());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            driver.destroy();
        }
    }
}
