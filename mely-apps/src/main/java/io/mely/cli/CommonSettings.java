// SPDX-License-Identifier: Apache-2.0
package io.mely.cli;

import io.mely.Stealing;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Settings that the servers of this project share: one key, one range and one meaning. A server gives its own defaults.
 *
 * <p><b>Threads.</b> Any.
 */
public final class CommonSettings {
    /** The address to listen on. */
    public static final Setting<String> BIND = Setting.of(
                    "bind",
                    "IP address or host name",
                    ValueTypes.text("an IP address of this machine or a host name", Addresses::isHost))
            .asFlag()
            .byDefault("127.0.0.1")
            .says("Address to listen on. 0.0.0.0 or :: serves every network this machine is in.");

    /** The word for a port that is not there. */
    static final String OFF = "off";

    /** The port for operators. */
    public static final Setting<String> ADMIN = Setting.of(
                    "admin",
                    "address",
                    ValueTypes.text("off, or an address as PORT or HOST:PORT", AdminPort::isSetting))
            .asFlag()
            .byDefault(OFF)
            .says(
                    "Address for operators: a live page of the stages, /livez, /readyz and /metrics (Prometheus). A port alone is on 127.0.0.1. Whoever reaches it sees names of stages and stacks of slow handlers; there is no password.");

    /** What an idle core takes. */
    public static final Setting<Stealing> STEALING = Setting.of(
                    "stealing", "one word", ValueTypes.oneOf(stealingWords()))
            .asFlag()
            .byDefault(Stealing.mely())
            .says(
                    "What an idle core takes from others: nothing (off), whatever there is (base), what pays for the trip (mely).");

    /** The deployment file; {@link StagesFile} reads it. */
    public static final Setting<String> STAGES = Setting.of(
                    "stages",
                    "path, relative to the current folder",
                    ValueTypes.text("empty or a path", ValueTypes::isFile))
            .asFlag()
            .byDefault("")
            .says("Deployment file: which scheduling policies the stages run under. Empty: colors, with stealing.");

    /** Whether {@link Program.Service#statistics} are printed. */
    public static final Setting<Boolean> STATS = Setting.of("stats", "true or false", ValueTypes.yesOrNo())
            .asFlag()
            .byDefault(false)
            .says(
                    "Prints the counters of the server, and per-core events, steals, stolen time and wake-ups, to standard error at exit.");

    private CommonSettings() {}

    private static Map<String, Stealing> stealingWords() {
        Map<String, Stealing> words = new LinkedHashMap<>();
        words.put("off", Stealing.off());
        words.put("base", Stealing.base());
        words.put("mely", Stealing.mely());
        return words;
    }

    /**
     * The TCP port.
     *
     * @param byDefault without a value of the user
     * @return the setting
     */
    public static Setting<Integer> port(int byDefault) {
        return Setting.of("port", "port number", ValueTypes.count(0, 65_535))
                .asFlag()
                .byDefault(byDefault)
                .says("TCP port to listen on. 0 lets the system choose; the ready line says which.");
    }

    /**
     * How many cores the runtime has.
     *
     * @param byDefault without a value of the user
     * @return the setting
     */
    public static Setting<Integer> cores(int byDefault) {
        return Setting.of("cores", "cores", ValueTypes.countOr("auto", 1, 1024))
                .asFlag()
                .byDefault(byDefault)
                .says(
                        "Number of Mely cores, each one thread. auto is one per CPU this process may use, within its CPU quota.");
    }

    /**
     * Whether each core stays on one CPU.
     *
     * @param byDefault without a value of the user
     * @return the setting
     */
    public static Setting<Boolean> pinned(boolean byDefault) {
        return Setting.of("pinned", "true or false", ValueTypes.yesOrNo())
                .byDefault(byDefault)
                .says(
                        "Binds each core to a CPU, for machines where nothing else runs. Without it the kernel moves a core whose CPU others need.");
    }

    /**
     * How sockets are watched.
     *
     * @param <E> auto, epoll and nio, as the program calls them
     * @param auto epoll if it is there, by default
     * @return the setting
     */
    public static <E extends Enum<E>> Setting<E> transport(E auto) {
        return Setting.of("transport", "one word", ValueTypes.oneOf(auto.getDeclaringClass()))
                .byDefault(auto)
                .says("How sockets are watched. auto is epoll where this machine has it, else nio.");
    }

    /**
     * How many connections the kernel may queue.
     *
     * @param byDefault without a value of the user
     * @return the setting
     */
    public static Setting<Integer> backlog(int byDefault) {
        return Setting.of("backlog", "connections", ValueTypes.count(1, Integer.MAX_VALUE))
                .byDefault(byDefault)
                .says(
                        "Connections the kernel may queue before they are accepted. The kernel caps it at net.core.somaxconn.");
    }

    /**
     * Most clients of HTTP.
     *
     * @param byDefault without a value of the user
     * @return the setting
     */
    public static Setting<Integer> maxClients(int byDefault) {
        return Setting.of("max-clients", "connections", ValueTypes.count(1, 1 << 24))
                .asFlag()
                .byDefault(byDefault)
                .says(
                        "Most clients served at once. For one more the oldest that is idle is closed; if none is, one more is answered 503.");
    }

    /**
     * Requests of an address.
     *
     * @param byDefault without a value of the user
     * @return the setting
     */
    public static Setting<Integer> clientRate(int byDefault) {
        return Setting.of("client-rate", "requests per second", ValueTypes.count(0, 1_000_000))
                .byDefault(byDefault)
                .says(
                        "Requests of one client address (IPv6: of a /64) a second, in the long run. More are answered 429. 0 is unlimited.");
    }

    /**
     * How long a stop waits.
     *
     * @param byDefault without a value of the user
     * @param max the longest
     * @return the setting
     */
    public static Setting<Duration> drainDeadline(Duration byDefault, Duration max) {
        return Setting.of("drain-deadline", "time", ValueTypes.time(Duration.ZERO, max))
                .byDefault(byDefault)
                .says("After SIGTERM, what is under way may go on for this long. Then it is given up.");
    }
}
