// SPDX-License-Identifier: Apache-2.0
package io.mely.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Chromium without a window, steered by WebDriver (W3C): as much of it as the tests need.
 *
 * <p>Without it a test is skipped; with the environment variable {@code MELY_BROWSER=required}, as in CI, it fails.
 */
public final class Browser implements AutoCloseable {
    private static final Pattern PORT = Pattern.compile("started successfully on port ([0-9]+)");
    private static final Pattern SESSION = Pattern.compile("\"sessionId\":\"([^\"]+)\"");

    private final HttpClient client = HttpClient.newHttpClient();
    private final Process driver;
    private final String at; // the session

    /** Keys of a keyboard that are no characters, for {@link #type}. */
    public static final String ENTER = "\uE007";

    public static final String ARROW_DOWN = "\uE015";
    public static final String ESCAPE = "\uE00C";

    private static final long PATIENCE_NS = TimeUnit.MINUTES.toNanos(2);
    private static final long LOOK_NS = 50_000_000;

    /**
     * Starts one.
     *
     * @param profile an empty folder
     */
    public static Browser start(Path profile) throws IOException, InterruptedException {
        boolean isThere = has("chromedriver") && has("chromium");
        if ("required".equals(System.getenv("MELY_BROWSER"))) {
            assertThat(isThere)
                    .as("MELY_BROWSER=required, and chromium or chromedriver is not on the PATH")
                    .isTrue();
        }
        assumeTrue(isThere, "skipped: chromium and chromedriver are not on the PATH");
        return new Browser(profile);
    }

    private static boolean has(String program) {
        return Arrays.stream(System.getenv("PATH").split(File.pathSeparator, -1))
                .anyMatch(dir -> Files.isExecutable(Path.of(dir, program)));
    }

    private Browser(Path profile) throws IOException, InterruptedException {
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

    public void open(String url) throws IOException, InterruptedException {
        post(at + "/url", "{\"url\":" + quoted(url) + "}");
    }

    /** The value of an expression, as JSON. */
    public String value(String expression) throws IOException, InterruptedException {
        String answer = post(at + "/execute/sync", "{\"script\":" + quoted("return " + expression) + ",\"args\":[]}");
        return answer.substring("{\"value\":".length(), answer.length() - 1);
    }

    public boolean is(String expression) throws IOException, InterruptedException {
        return value("Boolean(" + expression + ")").equals("true");
    }

    /** Waits until an expression is true. */
    public void await(String what, String expression) throws IOException, InterruptedException {
        long startNs = System.nanoTime();
        while (!is(expression)) {
            assertThat(System.nanoTime() - startNs)
                    .as("%s: %s", what, value("document.body.innerText"))
                    .isLessThan(PATIENCE_NS);
            LockSupport.parkNanos(LOOK_NS);
        }
    }

    /** Strikes keys, wherever the focus is. */
    public void type(String keys) throws IOException, InterruptedException {
        String strokes = keys.codePoints()
                .mapToObj(key -> "{\"type\":\"keyDown\",\"value\":" + quoted(Character.toString(key))
                        + "},{\"type\":\"keyUp\",\"value\":" + quoted(Character.toString(key)) + "}")
                .collect(Collectors.joining(","));
        String unused = post(
                at + "/actions",
                "{\"actions\":[{\"type\":\"key\",\"id\":\"keyboard\",\"actions\":[" + strokes + "]}]}");
    }

    /** What is seen, as a PNG. */
    public byte[] screenshot() throws IOException, InterruptedException {
        HttpResponse<String> response = client.send(
                HttpRequest.newBuilder(URI.create(at + "/screenshot")).build(), HttpResponse.BodyHandlers.ofString());
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        String body = response.body();
        return Base64.getMimeDecoder().decode(body.substring("{\"value\":\"".length(), body.lastIndexOf('"')));
    }

    /** What the page has written to its console, and what the browser says there of errors; each once, as JSON. */
    public List<String> console() throws IOException, InterruptedException {
        String answer = post(at + "/se/log", "{\"type\":\"browser\"}");
        String entries = answer.substring("{\"value\":[".length(), answer.lastIndexOf(']'));
        return entries.isEmpty() ? List.of() : List.of(entries.split("(?<=\\}),(?=\\{\"level\")"));
    }

    /** From now on the person in front of it prefers dark pages. */
    public void prefersDark() throws IOException, InterruptedException {
        String unused = post(
                at + "/goog/cdp/execute",
                "{\"cmd\":\"Emulation.setEmulatedMedia\",\"params\":{\"features\":[{\"name\":\"prefers-color-scheme\",\"value\":\"dark\"}]}}");
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
