// SPDX-License-Identifier: Apache-2.0
package io.mely.cli;

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

    private CommonSettings() {}

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
}
