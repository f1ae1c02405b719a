// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.load;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** What clients do in the command {@code tls}, by which program, and how that tells what it measured. */
enum TlsLoad {
    KEPT("1 KB, 32 kept connections"),
    HANDSHAKE("a handshake and 1 KB on each connection, 16 at a time"),
    RESUMED("a resumed session and 1 KB on each connection, one at a time, TLS 1.2"),
    LARGE("1 MB, 4 kept connections"),
    HTTP2("HTTP/2, 1 KB, " + H2load.CONNECTIONS + " connections with " + H2load.STREAMS + " streams each"),
    /** What TLS costs the one before. */
    H2C("the same as HTTP2 without TLS");

    /** The file of 1 MB; that of 1 KB is {@link CompareCommand#FILE}. */
    static final String LARGE_FILE = "large.bin";

    /** Who speaks HTTP/2 without TLS, by the name of the same with it. The JDK's TLS makes no difference there. */
    private static final Map<String, String> WITHOUT_TLS = Map.of("sws-tls", "sws", "nginx-tls", Server.NGINX_H2C);

    private static final Pattern WRK_REQUESTS = Pattern.compile("([0-9]+) requests in ([0-9.]+)(ms|s|m),");
    private static final Pattern WRK_ERRORS = Pattern.compile("(Non-2xx|Socket errors).*");
    private static final Pattern S_TIME = Pattern.compile("([0-9]+) connections in ([0-9]+) real seconds");

    final String title;

    TlsLoad(String title) {
        this.title = title;
    }

    /** Those that are measured if nobody says which. */
    static List<TlsLoad> secure() {
        return Stream.of(values()).filter(load -> load != H2C).toList();
    }

    boolean isHttp2() {
        return this == HTTP2 || this == H2C;
    }

    /** Who is measured, by the names of those that speak TLS. */
    List<String> servers(List<String> names) {
        return this == H2C
                ? names.stream()
                        .map(WITHOUT_TLS::get)
                        .filter(Objects::nonNull)
                        .distinct()
                        .toList()
                : names;
    }

    /** Whom ratios are to, by the name of one that speaks TLS. */
    String reference(String name) {
        return this == H2C ? WITHOUT_TLS.getOrDefault(name, name) : name;
    }

    List<String> command(int port, int seconds) {
        String small = "127.0.0.1:" + port + "/" + CompareCommand.FILE;
        return switch (this) {
            case KEPT -> wrk(32, seconds, "https://" + small);
            case HANDSHAKE -> {
                List<String> command = new ArrayList<>(wrk(16, seconds, "https://" + small));
                command.addAll(List.of("-H", "Connection: close"));
                yield command;
            }
            case RESUMED ->
                List.of(
                        "openssl",
                        "s_time",
                        "-connect",
                        "127.0.0.1:" + port,
                        "-www",
                        "/" + CompareCommand.FILE,
                        "-tls1_2",
                        "-reuse",
                        "-time",
                        Integer.toString(seconds));
            case LARGE -> wrk(4, seconds, "https://127.0.0.1:" + port + "/" + LARGE_FILE);
            case HTTP2 -> H2load.command(seconds, "https://" + small);
            case H2C -> H2load.command(seconds, "http://" + small);
        };
    }

    private static List<String> wrk(int connections, int seconds, String url) {
        return List.of("wrk", "-t", "1", "-c", Integer.toString(connections), "-d", seconds + "s", url);
    }

    /**
     * Reads what the program has said.
     *
     * @throws IOException if requests failed, or it says anything else
     */
    Outcome outcome(String output) throws IOException {
        return switch (this) {
            case HTTP2 -> H2load.parse(output, "h2");
            case H2C -> H2load.parse(output, "h2c");
            case RESUMED -> {
                Matcher told = find(S_TIME, output);
                yield outcome(told.group(1), Double.parseDouble(told.group(2)));
            }
            default -> {
                Matcher errors = WRK_ERRORS.matcher(output);
                if (errors.find()) {
                    throw new IOException(errors.group());
                }
                Matcher told = find(WRK_REQUESTS, output);
                double unitS = told.group(3).equals("ms") ? 1e-3 : told.group(3).equals("m") ? 60 : 1;
                yield outcome(told.group(1), Double.parseDouble(told.group(2)) * unitS);
            }
        };
    }

    private static Matcher find(Pattern pattern, String output) throws IOException {
        Matcher told = pattern.matcher(output);
        if (!told.find()) {
            throw new IOException(output);
        }
        return told;
    }

    private static Outcome outcome(String requests, double elapsedS) throws IOException {
        long count = Long.parseLong(requests);
        if (count == 0) {
            throw new IOException("no request was answered");
        }
        return new Outcome(count, count / elapsedS);
    }

    /**
     * What was measured.
     *
     * @param requests all answered rightly
     * @param perS by the program's clock
     */
    record Outcome(long requests, double perS) {}
}
