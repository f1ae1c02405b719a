// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.conformance;

import io.mely.sws.conformance.RequestText.Step;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** Runs cases against one server, each on a connection of its own. */
final class Runner {
    /** Cases at once: those that wait for a time-out of the server don't hold up the others. */
    private static final int THREADS = 4;

    private static final byte[] PROBE =
            "GET /hello.txt HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    /** What came of a case; failure is null if it passed. */
    record Result(ConformanceCase of, @Nullable String failure) {
        boolean isPassed() {
            return failure == null;
        }
    }

    private final InetSocketAddress server;
    private final int timeoutMs;
    private final ConcurrentHashMap<String, String> entityTags = new ConcurrentHashMap<>();

    Runner(InetSocketAddress server, int timeoutMs) {
        this.server = server;
        this.timeoutMs = timeoutMs;
    }

    /** Runs all; the results are in the order of the cases. */
    List<Result> run(List<ConformanceCase> cases) throws InterruptedException {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            List<Future<Result>> running = new ArrayList<>();
            for (ConformanceCase each : cases) {
                running.add(threads.submit(() -> run(each)));
            }
            List<Result> results = new ArrayList<>();
            for (Future<Result> each : running) {
                results.add(each.get());
            }
            return results;
        } catch (ExecutionException e) {
            throw new IllegalStateException("the suite is broken", e.getCause());
        } finally {
            threads.shutdownNow();
        }
    }

    Result run(ConformanceCase each) {
        try (Wire wire = new Wire(server, timeoutMs)) {
            return new Result(each, run(each, wire));
        } catch (SocketTimeoutException e) {
            return new Result(each, "no answer in " + timeoutMs + " ms");
        } catch (IOException e) {
            return new Result(each, e.getMessage() == null ? e.toString() : e.getMessage());
        }
    }

    private @Nullable String run(ConformanceCase each, Wire wire) throws IOException {
        List<Step> steps = RequestText.parse(each.request(), this::entityTag);
        String firstLine = new String(steps.get(0).bytes(), StandardCharsets.ISO_8859_1).split("[\r\n]", 2)[0];
        Reply early = send(steps, wire);
        Reply last = null;
        Expectation expected = each.expected().get(0);
        for (int i = 0; i < each.expected().size(); i++) {
            expected = each.expected().get(i);
            boolean isHead = expected.has("nobody") || (i == 0 && firstLine.startsWith("HEAD "));
            last = i == 0 && early != null ? early : wire.read(isHead, false);
            String failure = expected.check(last, targetOf(firstLine), this::get);
            if (failure != null) {
                return failure;
            }
        }
        if (last == null || expected.has("closed")) {
            return last == null || wire.isEnded() ? null : "not closed";
        }
        if (expected.has("kept")) {
            return last.isClose() ? "Connection: close" : probe(wire, false);
        }
        return expected.has("framed") || expected.has("nobody") ? probe(wire, true) : null;
    }

    /** The final response, if it came instead of a 100. */
    private static @Nullable Reply send(List<Step> steps, Wire wire) throws IOException {
        List<Integer> interims = new ArrayList<>();
        for (Step step : steps) {
            wire.send(step.bytes());
            switch (step.then()) {
                case GO_ON -> {}
                case END_OUTPUT -> wire.endOutput();
                case AWAIT_CONTINUE -> {
                    Reply reply = wire.read(false, true);
                    if (reply == null || reply.status() != 100) {
                        return reply;
                    }
                    interims.add(100);
                }
            }
        }
        if (interims.isEmpty()) {
            return null;
        }
        Reply reply = wire.read(false, false);
        return reply == null ? null : new Reply(reply.status(), reply.fields(), reply.body(), interims);
    }

    private static @Nullable String probe(Wire wire, boolean mayEnd) throws IOException {
        wire.send(PROBE);
        Reply next = wire.read(false, false);
        if (next == null) {
            return mayEnd ? null : "closed";
        }
        return next.status() == 200 && next.text().equals("hello")
                ? null
                : "the next request has status " + next.status();
    }

    private static String targetOf(String firstLine) {
        String[] words = firstLine.split(" ", -1);
        return words.length > 1 ? words[1] : "/";
    }

    private Reply get(String target) throws IOException {
        try (Wire wire = new Wire(server, timeoutMs)) {
            wire.send(("GET " + target + " HTTP/1.1\r\nHost: x\r\n\r\n").getBytes(StandardCharsets.ISO_8859_1));
            Reply reply = wire.read(false, false);
            if (reply == null) {
                throw new BrokenReplyException("no response to GET " + target);
            }
            return reply;
        }
    }

    private String entityTag(String path) {
        String known = entityTags.get(path);
        if (known != null) {
            return known;
        }
        try {
            String tag = get(path).value("ETag");
            entityTags.put(path, tag);
            return tag;
        } catch (IOException noTag) {
            return "\"none\"";
        }
    }
}
