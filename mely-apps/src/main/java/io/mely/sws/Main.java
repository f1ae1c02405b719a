// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import io.mely.Version;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;

/** Starts SWS from the command line. */
@Command(name = "sws", mixinStandardHelpOptions = true, versionProvider = Main.Versions.class)
public final class Main implements Runnable {

    private Main() {}

    /**
     * Runs the program and leaves the JVM with its exit code.
     *
     * @param args options and the directory to serve
     */
    public static void main(String[] args) {
        System.exit(new CommandLine(new Main()).execute(args));
    }

    @Override
    public void run() {
        CommandLine.usage(this, System.out);
    }

    /** Prints the version of the runtime it was built with. */
    static final class Versions implements IVersionProvider {
        @Override
        public String[] getVersion() {
            return new String[] {"sws " + Version.version()};
        }
    }
}
