// SPDX-License-Identifier: Apache-2.0
package io.mely.cli;

import io.mely.Mely;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A server of this project, as {@link Command} runs it: its settings, and how it starts.
 *
 * <p><b>Threads.</b> That of the command.
 */
public interface Program {
    /**
     * What its command line takes.
     *
     * @param settings all of them, {@link CommonSettings#BIND}, {@link CommonSettings#ADMIN} and {@link CommonSettings#STATS} among them
     * @param folder the setting that the command line's folder without a flag is for, as in {@code sws DIR}
     * @param port of TCP; a rehearsal takes 0
     * @param switches whose flags take no value: to give one is to turn it on
     * @param help the text of {@code --help}, lines of at most 80 columns
     */
    record Usage(
            SettingTable settings,
            Setting<Path> folder,
            Setting<Integer> port,
            List<Setting<Boolean>> switches,
            String help) {}

    /**
     * What its command line takes.
     *
     * @return always the same
     */
    Usage usage();

    /**
     * Changes the values for a rehearsal, which leaves nothing behind. By default nothing.
     *
     * @param values of all sources; the port is 0 already
     * @throws StartException if what is left out could not be done
     */
    default void prepareRehearsal(Values values) throws StartException {}

    /**
     * Starts the server.
     *
     * @param values of all sources
     * @return listening
     * @throws UsageException if values don't go together
     * @throws StartException if this machine can't do it
     * @throws IOException if it can't listen, or read what it is to serve
     */
    Service start(Values values) throws UsageException, StartException, IOException;

    /**
     * What the port for operators shows.
     *
     * @param mely the runtime
     * @param meters of the server, beside those of the runtime
     */
    record Monitored(Mely mely, MeterBinder meters) {}

    /** A running server. */
    interface Service {
        /**
         * What operators see, on {@link CommonSettings#ADMIN}.
         *
         * @return null if there is nothing to see
         */
        @Nullable
        Monitored monitored();

        /**
         * The line on standard output that says it is ready.
         *
         * @return scripts read its beginning, up to the port
         */
        String readyLine();

        /**
         * Whether it goes on.
         *
         * @return false after it has broken down, which the log tells
         */
        boolean isServing();

        /**
         * Takes over what it can of new values without a restart; if that is wrong, all goes on as it was. The log tells. By default only {@link #reload()}.
         *
         * @param values of all sources, read again
         */
        default void reload(Values values) {
            reload();
        }

        /** Opens its logs again, as after a tool has moved them. By default nothing. */
        default void reopenLogs() {}

        /**
         * Reads again what it can without a restart; if that is wrong, all goes on as it was. The log tells. By default nothing.
         */
        default void reload() {}

        /** Stops accepting, lets what runs end within its time, stops. */
        void close();

        /**
         * Figures for standard error at the end.
         *
         * @return lines
         */
        String statistics();

        /**
         * Asks the server for something, so that what an answer needs has run once.
         *
         * @return whether it answered
         */
        boolean rehearse();
    }
}
