// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.load;

import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import java.util.stream.Collectors;

/**
 * One run: all that a slave has to know.
 *
 * @param host name or address of the server
 * @param port of the server
 * @param clients virtual clients, each with one connection
 * @param threads that run them
 * @param perConnection requests before a client closes its connection and opens another; 0 for never
 * @param warmMs before the measured time
 * @param measureMs measured
 * @param ratePerS open loop: requests (or sessions of a log) a second, of all clients; 0 for closed loop
 * @param isPoisson arrivals of the open loop at random instants; else evenly spaced
 * @param seed of those instants, and of the choice among targets of different weights
 * @param timeoutMs after which a request is given up
 * @param isReset whether a client closes by reset (no TIME_WAIT, as the papers' injector) or as usual
 * @param isChecked whether bodies are checked by checksum
 * @param headers of each request, whole lines with CRLF
 * @param targets that clients ask for: in turn if all have the same weight, else at random
 * @param sessionLog in httperf's form, in place of the targets; empty for none
 * @param streams HTTP/2 without TLS: requests at once on each connection, which stays; 0 for HTTP/1.1
 */
record Plan(
        String host,
        int port,
        int clients,
        int threads,
        int perConnection,
        long warmMs,
        long measureMs,
        double ratePerS,
        boolean isPoisson,
        long seed,
        long timeoutMs,
        boolean isReset,
        boolean isChecked,
        String headers,
        List<Target> targets,
        String sessionLog,
        int streams) {
    Plan {
        if (streams < 0 || (streams > 0 && (perConnection > 0 || !sessionLog.isEmpty()))) {
            throw new IllegalArgumentException("streams must be >= 0, and need connections that stay and no sessions:"
                    + " streams=" + streams + ", perConnection=" + perConnection);
        }
    }

    boolean isOpen() {
        return ratePerS > 0;
    }

    List<Session> sessions() {
        return sessionLog.isEmpty()
                ? List.of()
                : Session.parse(sessionLog.lines().toList());
    }

    Plan withClients(int count) {
        return new Plan(
                host,
                port,
                count,
                threads,
                perConnection,
                warmMs,
                measureMs,
                ratePerS,
                isPoisson,
                seed,
                timeoutMs,
                isReset,
                isChecked,
                headers,
                targets,
                sessionLog,
                streams);
    }

    /** The part of one of several slaves, as equal as can be. */
    Plan share(int slave, int slaves) {
        return new Plan(
                host,
                port,
                clients / slaves + (slave < clients % slaves ? 1 : 0),
                threads,
                perConnection,
                warmMs,
                measureMs,
                ratePerS / slaves,
                isPoisson,
                seed + slave,
                timeoutMs,
                isReset,
                isChecked,
                headers,
                targets,
                sessionLog,
                streams);
    }

    Properties properties() {
        Properties to = new Properties();
        to.setProperty("host", host);
        to.setProperty("port", Integer.toString(port));
        to.setProperty("clients", Integer.toString(clients));
        to.setProperty("threads", Integer.toString(threads));
        to.setProperty("perConnection", Integer.toString(perConnection));
        to.setProperty("warmMs", Long.toString(warmMs));
        to.setProperty("measureMs", Long.toString(measureMs));
        to.setProperty("ratePerS", Double.toString(ratePerS));
        to.setProperty("isPoisson", Boolean.toString(isPoisson));
        to.setProperty("seed", Long.toString(seed));
        to.setProperty("timeoutMs", Long.toString(timeoutMs));
        to.setProperty("isReset", Boolean.toString(isReset));
        to.setProperty("isChecked", Boolean.toString(isChecked));
        to.setProperty("headers", headers);
        to.setProperty("targets", targets.stream().map(Target::text).collect(Collectors.joining("\n")));
        to.setProperty("sessionLog", sessionLog);
        to.setProperty("streams", Integer.toString(streams));
        return to;
    }

    static Plan of(Properties from) {
        return new Plan(
                from.getProperty("host"),
                Integer.parseInt(from.getProperty("port")),
                Integer.parseInt(from.getProperty("clients")),
                Integer.parseInt(from.getProperty("threads")),
                Integer.parseInt(from.getProperty("perConnection")),
                Long.parseLong(from.getProperty("warmMs")),
                Long.parseLong(from.getProperty("measureMs")),
                Double.parseDouble(from.getProperty("ratePerS")),
                Boolean.parseBoolean(from.getProperty("isPoisson")),
                Long.parseLong(from.getProperty("seed")),
                Long.parseLong(from.getProperty("timeoutMs")),
                Boolean.parseBoolean(from.getProperty("isReset")),
                Boolean.parseBoolean(from.getProperty("isChecked")),
                from.getProperty("headers"),
                Arrays.stream(from.getProperty("targets").split("\n"))
                        .map(Target::parse)
                        .toList(),
                from.getProperty("sessionLog"),
                Integer.parseInt(from.getProperty("streams")));
    }
}
