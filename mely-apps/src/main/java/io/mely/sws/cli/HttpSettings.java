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
import java.util.List;

/**
 * The HTTP server that an application is in: with {@link CommonSettings#BIND}, {@link CommonSettings#STAGES} and whatever it takes of {@link io.mely.sws.SwsSettings} it is as
 * SWS.
 *
 * <p><b>Threads.</b> Any.
 */
public final class HttpSettings {
    private HttpSettings() {}

    /**
     * Begins the configuration of a server.
     *
     * @param values of all sources; those of {@link io.mely.sws.SwsSettings} are taken
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
                .stages(stages)
                .set(values);
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
        return StagesFile.read(values, names, SwsConfig.STAGES);
    }
}
