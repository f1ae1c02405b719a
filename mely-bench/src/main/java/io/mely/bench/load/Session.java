// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.load;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What a client does on one connection: bursts of requests, one burst after the other's responses, with time to think between.
 *
 * <p>The text form is httperf's: a session's lines are bursts, an indented line is one more request of the burst above it, an empty line ends the
 * session, {@code #} begins a comment; a line is {@code /path [method=M] [think=SECONDS]}.
 *
 * <p><b>Source.</b> httperf(1), {@code --wsesslog}.
 *
 * @param bursts at least one
 */
record Session(List<Burst> bursts) {
    /**
     * Requests that are sent together.
     *
     * @param targets in the order sent
     * @param thinkNs between the last response and the next burst
     */
    record Burst(List<Target> targets, long thinkNs) {}

    /**
     * Reads a log.
     *
     * @param lines of the file
     * @return its sessions, at least one
     * @throws IllegalArgumentException that names the line
     */
    static List<Session> parse(List<String> lines) {
        List<Session> sessions = new ArrayList<>();
        List<Burst> bursts = new ArrayList<>();
        for (int i = 0; i <= lines.size(); i++) {
            String line = i < lines.size() ? lines.get(i) : "";
            if (line.startsWith("#")) {
                continue;
            }
            if (line.isBlank()) {
                if (!bursts.isEmpty()) {
                    sessions.add(new Session(List.copyOf(bursts)));
                    bursts.clear();
                }
                continue;
            }
            try {
                parseLine(line, bursts);
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException("line " + (i + 1) + ": " + e.getMessage(), e);
            }
        }
        if (sessions.isEmpty()) {
            throw new IllegalArgumentException("no session in the log");
        }
        return sessions;
    }

    private static void parseLine(String line, List<Burst> bursts) {
        boolean isMore = Character.isWhitespace(line.charAt(0));
        String[] words = line.strip().split("\\s+", -1);
        String method = "GET";
        double thinkS = 0;
        for (int i = 1; i < words.length; i++) {
            String[] pair = words[i].split("=", 2);
            switch (pair[0]) {
                case "method" -> method = pair[pair.length - 1].toUpperCase(Locale.ROOT);
                case "think" -> thinkS = Double.parseDouble(pair[pair.length - 1]);
                default -> throw new IllegalArgumentException("only method= and think= are known here: " + words[i]);
            }
        }
        if (!method.equals("GET") || !(thinkS >= 0)) {
            throw new IllegalArgumentException("only GET, and think >= 0: " + line.strip());
        }
        Target target = new Target(method, words[0], 200, Target.ANY, Target.ANY);
        if (!isMore) {
            bursts.add(new Burst(List.of(target), (long) (thinkS * 1e9)));
            return;
        }
        if (bursts.isEmpty()) {
            throw new IllegalArgumentException("an indented request follows another one: " + line);
        }
        Burst above = bursts.remove(bursts.size() - 1);
        List<Target> targets = new ArrayList<>(above.targets());
        targets.add(target);
        // The time to think is the burst's: the last line that has one tells.
        bursts.add(new Burst(List.copyOf(targets), thinkS > 0 ? (long) (thinkS * 1e9) : above.thinkNs()));
    }
}
