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
    public static final Setting<String> BIND = new Setting<>(
            "bind",
            true,
            ValueTypes.text("an IP address of this machine or a host name", Addresses::isHost),
            "IP address or host name",
            "127.0.0.1",
            "Address to listen on. 0.0.0.0 or :: serves every network this machine is in.");

    /** The word for a port that is not there. */
    static final String OFF = "off";

    /** The port for operators. */
    public static final Setting<String> ADMIN = new Setting<>(
            "admin",
            true,
            ValueTypes.text("off, or an address as PORT or HOST:PORT", AdminPort::isSetting),
            "address",
            OFF,
            "Address for operators: a live page of the stages, /livez, /readyz and /metrics (Prometheus). A port alone is on 127.0.0.1. Whoever reaches it sees names of stages and stacks of slow handlers; there is no password.");

    /** What an idle core takes. */
    public static final Setting<Stealing> STEALING = new Setting<>(
            "stealing",
            true,
            ValueTypes.oneOf(stealingWords()),
            "one word",
            Stealing.mely(),
            "What an idle core takes from others: nothing (off), whatever there is (base), what pays for the trip (mely).");

    /** The deployment file; {@link StagesFile} reads it. */
    public static final Setting<String> STAGES = new Setting<>(
            "stages",
            true,
            ValueTypes.text("empty or a path", StagesFile::isPath),
            "path, relative to the current folder",
            "",
            "Deployment file: which scheduling policies the stages run under. Empty: colors, with stealing.");

    /** Whether {@link Program.Service#statistics} are printed. */
    public static final Setting<Boolean> STATS = new Setting<>(
            "stats",
            true,
            ValueTypes.yesOrNo(),
            "true or false",
            false,
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
        return new Setting<>(
                "port",
                true,
                ValueTypes.count(0, 65_535),
                "port number",
                byDefault,
                "TCP port to listen on. 0 lets the system choose; the ready line says which.");
    }

    /**
     * How many cores the runtime has.
     *
     * @param byDefault without a value of the user
     * @return the setting
     */
    public static Setting<Integer> cores(int byDefault) {
        return new Setting<>(
                "cores",
                true,
                ValueTypes.countOr("auto", 1, 1024),
                "cores",
                byDefault,
                "Number of Mely cores, each one thread. auto is one per CPU this process may use, within its CPU quota.");
    }

    /**
     * Whether each core stays on one CPU.
     *
     * @param byDefault without a value of the user
     * @return the setting
     */
    public static Setting<Boolean> pinned(boolean byDefault) {
        return new Setting<>(
                "pinned",
                false,
                ValueTypes.yesOrNo(),
                "true or false",
                byDefault,
                "Binds each core to a CPU, for machines where nothing else runs. Without it the kernel moves a core whose CPU others need.");
    }

    /**
     * How sockets are watched.
     *
     * @param <T> what the program calls them
     * @param auto epoll if it is there, by default
     * @param epoll epoll
     * @param nio the JDK's
     * @return the setting
     */
    public static <T> Setting<T> transport(T auto, T epoll, T nio) {
        Map<String, T> words = new LinkedHashMap<>();
        words.put("auto", auto);
        words.put("epoll", epoll);
        words.put("nio", nio);
        return new Setting<>(
                "transport",
                false,
                ValueTypes.oneOf(words),
                "one word",
                auto,
                "How sockets are watched. auto is epoll where this machine has it, else nio.");
    }

    /**
     * How many connections the kernel may queue.
     *
     * @param byDefault without a value of the user
     * @return the setting
     */
    public static Setting<Integer> backlog(int byDefault) {
        return new Setting<>(
                "backlog",
                false,
                ValueTypes.count(1, Integer.MAX_VALUE),
                "connections",
                byDefault,
                "Connections the kernel may queue before they are accepted. The kernel caps it at net.core.somaxconn.");
    }

    /**
     * Most clients of HTTP.
     *
     * @param byDefault without a value of the user
     * @return the setting
     */
    public static Setting<Integer> maxClients(int byDefault) {
        return new Setting<>(
                "max-clients",
                true,
                ValueTypes.count(1, 1 << 24),
                "connections",
                byDefault,
                "Most clients served at once. For one more the oldest that is idle is closed; if none is, one more is answered 503.");
    }

    /**
     * Requests of an address.
     *
     * @param byDefault without a value of the user
     * @return the setting
     */
    public static Setting<Integer> clientRate(int byDefault) {
        return new Setting<>(
                "client-rate",
                false,
                ValueTypes.count(0, 1_000_000),
                "requests per second",
                byDefault,
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
        return new Setting<>(
                "drain-deadline",
                false,
                ValueTypes.time(Duration.ZERO, max),
                "time",
                byDefault,
                "After SIGTERM, what is under way may go on for this long. Then it is given up.");
    }
}
