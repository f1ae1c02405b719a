// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.load;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.EnumMap;
import java.util.Map;
import java.util.Properties;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;

/**
 * What one or more loops counted in the measured time.
 *
 * <p><b>Threads.</b> One writes; the progress line has counters of its own.
 * <b>Units.</b> Histograms are in nanoseconds.
 */
final class Result {
    /** What can go wrong with a request; each is counted, none is dropped. */
    enum Failure {
        CONNECT("connection refused or failed"),
        RESET("connection reset"),
        CLOSED("closed before the response was whole"),
        TIMEOUT("no response in time"),
        REFUSED("answered 503"),
        STATUS("wrong status"),
        LENGTH("wrong length"),
        CHECKSUM("wrong checksum"),
        MALFORMED("not a response this can read, or more than was asked for"),
        UNANSWERED("open loop: due, and not answered when the run was over");

        final String text;

        Failure(String text) {
            this.text = text;
        }
    }

    private static final long TOP_NS = 3_600_000_000_000L;

    private static Histogram histogram() {
        return new Histogram(1_000, TOP_NS, 3);
    }

    /** From the instant a request was due (open loop) or sent (closed loop) to its last byte. */
    final Histogram latency = histogram();
    /**
     * From the instant it was really sent, or its own connection was begun: in an open loop, what a generator with coordinated omission would
     * report.
     */
    final Histogram service = histogram();

    /** As service, of answers of 503. */
    final Histogram refusal = histogram();

    final Histogram connect = histogram();
    /** How much later than due a request was sent although a connection was free: the generator's own fault. */
    final Histogram late = histogram();

    long elapsedNs;
    long cpuNs;
    /** On the heap, by the loops, while they were measured. */
    long allocatedBytes;

    long responses;
    /** Right responses that came in the measured time, whenever they were due: a closed loop's responses, an open loop's throughput. */
    long arrived;

    long bytes;
    /** Also of responses that were not whole when the run was over. */
    long receivedBytes;

    long sent;
    long sessions;
    private final Map<Failure, Long> failures = new EnumMap<>(Failure.class);

    void count(Failure failure, long more) {
        failures.merge(failure, more, Long::sum);
    }

    long of(Failure failure) {
        return failures.getOrDefault(failure, 0L);
    }

    long errors() {
        return failures.values().stream().mapToLong(v -> v).sum();
    }

    static void record(Histogram histogram, long ns) {
        histogram.recordValue(Math.max(0, Math.min(TOP_NS, ns)));
    }

    double requestsPerS() {
        return responses * 1e9 / Math.max(1, elapsedNs);
    }

    double mbitPerS() {
        return bytes * 8e3 / Math.max(1, elapsedNs);
    }

    /** Takes in what another loop, or another machine, measured at the same time. */
    void add(Result other) {
        latency.add(other.latency);
        service.add(other.service);
        refusal.add(other.refusal);
        connect.add(other.connect);
        late.add(other.late);
        elapsedNs = Math.max(elapsedNs, other.elapsedNs);
        cpuNs += other.cpuNs;
        allocatedBytes += other.allocatedBytes;
        responses += other.responses;
        arrived += other.arrived;
        bytes += other.bytes;
        receivedBytes += other.receivedBytes;
        sent += other.sent;
        sessions += other.sessions;
        other.failures.forEach(this::count);
    }

    Properties properties() {
        Properties to = new Properties();
        to.setProperty("elapsedNs", Long.toString(elapsedNs));
        to.setProperty("cpuNs", Long.toString(cpuNs));
        to.setProperty("allocatedBytes", Long.toString(allocatedBytes));
        to.setProperty("responses", Long.toString(responses));
        to.setProperty("arrived", Long.toString(arrived));
        to.setProperty("bytes", Long.toString(bytes));
        to.setProperty("receivedBytes", Long.toString(receivedBytes));
        to.setProperty("sent", Long.toString(sent));
        to.setProperty("sessions", Long.toString(sessions));
        for (Failure failure : Failure.values()) {
            to.setProperty(failure.name(), Long.toString(of(failure)));
        }
        to.setProperty("latency", encode(latency));
        to.setProperty("service", encode(service));
        to.setProperty("refusal", encode(refusal));
        to.setProperty("connect", encode(connect));
        to.setProperty("late", encode(late));
        return to;
    }

    static Result of(Properties from) {
        Result result = new Result();
        result.elapsedNs = Long.parseLong(from.getProperty("elapsedNs"));
        result.cpuNs = Long.parseLong(from.getProperty("cpuNs"));
        result.allocatedBytes = Long.parseLong(from.getProperty("allocatedBytes"));
        result.responses = Long.parseLong(from.getProperty("responses"));
        result.arrived = Long.parseLong(from.getProperty("arrived"));
        result.bytes = Long.parseLong(from.getProperty("bytes"));
        result.receivedBytes = Long.parseLong(from.getProperty("receivedBytes"));
        result.sent = Long.parseLong(from.getProperty("sent"));
        result.sessions = Long.parseLong(from.getProperty("sessions"));
        for (Failure failure : Failure.values()) {
            result.count(failure, Long.parseLong(from.getProperty(failure.name())));
        }
        result.latency.add(decode(from.getProperty("latency")));
        result.service.add(decode(from.getProperty("service")));
        result.refusal.add(decode(from.getProperty("refusal")));
        result.connect.add(decode(from.getProperty("connect")));
        result.late.add(decode(from.getProperty("late")));
        return result;
    }

    private static String encode(Histogram histogram) {
        ByteBuffer buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
        int length = histogram.encodeIntoCompressedByteBuffer(buffer);
        return Base64.getEncoder().encodeToString(Arrays.copyOf(buffer.array(), length));
    }

    private static Histogram decode(String text) {
        try {
            return Histogram.decodeFromCompressedByteBuffer(
                    ByteBuffer.wrap(Base64.getDecoder().decode(text)), 0);
        } catch (DataFormatException e) {
            throw new IllegalArgumentException("not a histogram", e);
        }
    }
}
