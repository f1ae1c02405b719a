// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.conformance;

import io.mely.sws.conformance.Runner.Result;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Scores any server from the command line; {@code docs/conformance.md} has the commands.
 *
 * <pre>
 *   site DIR                           writes the files that the server must serve to DIR/root
 *   run HOST:PORT [TEXT]               runs the cases whose name has that text, and lists what failed
 *   report PAGE NAME=HOST:PORT ...     scores servers and writes the results into a page
 * </pre>
 *
 * <p><b>Errors.</b> Exit code 2 for wrong usage, 1 if a MUST failed ({@code run}) or a file or server could not be reached.
 */
public final class Conformance {
    /** Above the time-outs of the sample configurations, which are one second. */
    private static final int TIMEOUT_MS = 6000;

    private static final String USAGE = "usage: site DIR | run HOST:PORT [TEXT] | report PAGE NAME=HOST:PORT ...";

    private final PrintStream out;

    Conformance(PrintStream out) {
        this.out = out;
    }

    /**
     * Runs the tool.
     *
     * @param args see above
     */
    public static void main(String[] args) {
        int code;
        try {
            code = new Conformance(System.out).run(args);
        } catch (IllegalArgumentException e) {
            System.err.println("conformance: " + e.getMessage());
            code = 2;
        } catch (IOException e) {
            System.err.println("conformance: " + e);
            code = 1;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            code = 1;
        }
        System.exit(code);
    }

    int run(String... args) throws IOException, InterruptedException {
        String command = args.length < 2 ? "" : args[0];
        switch (command) {
            case "site" -> {
                out.println(TestSite.write(Path.of(args[1])));
                return 0;
            }
            case "run" -> {
                return runCases(address(args[1]), args.length > 2 ? args[2] : "");
            }
            case "report" -> {
                report(Path.of(args[1]), Arrays.asList(args).subList(2, args.length));
                return 0;
            }
            default -> throw new IllegalArgumentException(USAGE);
        }
    }

    private int runCases(InetSocketAddress server, String text) throws IOException, InterruptedException {
        List<ConformanceCase> cases = CaseTable.bundled().stream()
                .filter(each -> each.toString().contains(text))
                .toList();
        if (cases.isEmpty()) {
            throw new IllegalArgumentException("no case has this text in its name: " + text);
        }
        List<Result> results = new Runner(server, TIMEOUT_MS).run(cases);
        boolean isConforming = true;
        for (Result each : results) {
            if (!each.isPassed() || !text.isEmpty()) {
                out.println(Report.line(each));
            }
            isConforming &= each.isPassed() || each.of().level() != Level.MUST;
        }
        for (Level level : Level.values()) {
            out.println(
                    level + ": " + Report.score(results, result -> result.of().level() == level));
        }
        out.println("all: " + Report.score(results, result -> true));
        return isConforming ? 0 : 1;
    }

    private void report(Path page, List<String> servers) throws IOException, InterruptedException {
        List<String[]> named = new ArrayList<>();
        for (String server : servers) {
            String[] parts = server.split("=", 2);
            if (parts.length != 2) {
                throw new IllegalArgumentException("a server must be NAME=HOST:PORT: " + server);
            }
            named.add(parts);
        }
        String text = Files.readString(page);
        int start = text.indexOf(Report.START);
        int end = text.indexOf(Report.END);
        if (named.isEmpty() || start < 0 || end < start) {
            throw new IllegalArgumentException("there must be a server, and a page with the marks of results: " + page);
        }
        List<ConformanceCase> cases = CaseTable.bundled();
        Report report = new Report();
        for (String[] each : named) {
            List<Result> results = new Runner(address(each[1]), TIMEOUT_MS).run(cases);
            report.add(each[0], results);
            out.println(each[0] + ": " + Report.score(results, result -> true));
        }
        String rest = text.substring(end + Report.END.length());
        Files.writeString(page, text.substring(0, start) + report.markdown() + rest);
    }

    private static InetSocketAddress address(String text) {
        int colon = text.lastIndexOf(':');
        if (colon <= 0 || !text.substring(colon + 1).matches("[0-9]{1,5}")) {
            throw new IllegalArgumentException("a server must be HOST:PORT: " + text);
        }
        return new InetSocketAddress(text.substring(0, colon), Integer.parseInt(text.substring(colon + 1)));
    }
}
