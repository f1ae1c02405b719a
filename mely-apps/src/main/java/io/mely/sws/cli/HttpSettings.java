// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.cli;

import io.mely.Deployment;
import io.mely.cli.Addresses;
import io.mely.cli.CommonSettings;
import io.mely.cli.Setting;
import io.mely.cli.StagesFile;
import io.mely.cli.StartException;
import io.mely.cli.UsageException;
import io.mely.cli.Values;
import io.mely.sws.SwsConfig;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Settings of the HTTP server that an application is in: with them, and with {@link CommonSettings#BIND} and {@link CommonSettings#STAGES}, it is as SWS.
 *
 * <p><b>Threads.</b> Any.
 */
public final class HttpSettings {
    /** How many cores it has. */
    public static final Setting<Integer> CORES = CommonSettings.cores(SwsConfig.Builder.CORES);

    /** Most clients at once. */
    public static final Setting<Integer> MAX_CLIENTS = CommonSettings.maxClients(SwsConfig.Builder.MAX_CLIENTS);

    /** Requests of an address. */
    public static final Setting<Integer> CLIENT_RATE = CommonSettings.clientRate(SwsConfig.Builder.CLIENT_RATE);

    /** How long a stop waits. */
    public static final Setting<Duration> DRAIN_DEADLINE =
            CommonSettings.drainDeadline(SwsConfig.Builder.DRAIN_DEADLINE, SwsConfig.Builder.TIME_MAX);

    private HttpSettings() {}

    /**
     * Begins the configuration of a server.
     *
     * @param values of all sources
     * @param port the setting of its port
     * @param root folder of its files
     * @param stages of {@link #stages}
     * @return to be completed
     * @throws StartException if the address is none of this machine
     */
    public static SwsConfig.Builder builder(Values values, Setting<Integer> port, Path root, Deployment stages)
            throws StartException {
        return SwsConfig.builder(root)
                .bind(new InetSocketAddress(Addresses.lookUp(values, CommonSettings.BIND), values.get(port)))
                .cores(values.get(CORES))
                .stages(stages)
                .maxClients(values.get(MAX_CLIENTS))
                .clientRate(values.get(CLIENT_RATE))
                .drainDeadline(values.get(DRAIN_DEADLINE));
    }

    /**
     * Reads the deployment file.
     *
     * @param values of all sources
     * @param names of the stages
     * @return policies of these
     * @throws UsageException saying all that is wrong with it
     */
    public static Deployment stages(Values values, List<String> names) throws UsageException {
        return StagesFile.read(values, names, SwsConfig.Builder.STAGES);
    }
}
