// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.load;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** {@code h2load} of nghttp2, which loads a server by HTTP/2: its command line, and what it says. */
final class H2load {
    static final int CONNECTIONS = 100;

    /** Requests at once on each. */
    static final int STREAMS = 10;

    private static final String PROGRAM = "h2load";
    private static final String NOT_CONNECTED = "could not connect";
    private static final String COUNT = "([0-9]{1,18})";
    private static final Pattern PROTOCOL = Pattern.compile("(?m)^Application protocol: (\\S+)$");
    private static final Pattern FINISHED =
            Pattern.compile("(?m)^finished in [0-9.]+(?:us|ms|s), ([0-9]+(?:\\.[0-9]+)?) req/s, ");
    private static final Pattern REQUESTS = Pattern.compile("(?m)^requests: " + COUNT + " total, " + COUNT
            + " started, " + COUNT + " done, " + COUNT + " succeeded, " + COUNT + " failed, " + COUNT + " errored, "
            + COUNT + " timeout$");
    private static final Pattern CODES = Pattern.compile(
            "(?m)^status codes: " + COUNT + " 2xx, " + COUNT + " 3xx, " + COUNT + " 4xx, " + COUNT + " 5xx$");

    private H2load() {}

    /** Says whether a folder of such a list as the PATH has it. */
    static boolean isIn(String path) {
        return Stream.of(path.split(File.pathSeparator, -1)).anyMatch(dir -> Files.isExecutable(Path.of(dir, PROGRAM)));
    }

    static List<String> command(int seconds, String url) {
        return List.of(
                PROGRAM,
                "-t",
                "1",
                "-c",
                Integer.toString(CONNECTIONS),
                "-m",
                Integer.toString(STREAMS),
                "-D",
                Integer.toString(seconds),
                url);
    }

    /**
     * Reads what it says at the end. Its exit code says nothing of requests.
     *
     * @param protocol that must have been spoken: h2load falls back to HTTP/1.1
     * @throws IOException if a request failed, or was answered by another status than 2xx, or anything is not as expected
     */
    static TlsLoad.Outcome parse(String output, String protocol) throws IOException {
        if (output.contains(NOT_CONNECTED)) {
            throw new IOException("h2load did not connect: " + output);
        }
        String spoken = find(PROTOCOL, output).group(1);
        if (!spoken.equals(protocol)) {
            throw new IOException("h2load spoke " + spoken + " with the server, not " + protocol);
        }
        Matcher requests = find(REQUESTS, output);
        Matcher codes = find(CODES, output);
        long done = Long.parseLong(requests.group(3));
        long succeeded = Long.parseLong(requests.group(4));
        boolean hasFailed = Stream.of(
                        requests.group(5),
                        requests.group(6),
                        requests.group(7),
                        codes.group(2),
                        codes.group(3),
                        codes.group(4))
                .anyMatch(count -> Long.parseLong(count) != 0);
        if (hasFailed || succeeded == 0 || done != succeeded) {
            throw new IOException("not all requests were answered 2xx: " + requests.group() + "; " + codes.group());
        }
        return new TlsLoad.Outcome(
                succeeded, Double.parseDouble(find(FINISHED, output).group(1)));
    }

    private static Matcher find(Pattern pattern, String output) throws IOException {
        Matcher found = pattern.matcher(output);
        if (!found.find()) {
            throw new IOException("h2load does not say what it should (" + pattern + "): " + output);
        }
        return found;
    }
}
