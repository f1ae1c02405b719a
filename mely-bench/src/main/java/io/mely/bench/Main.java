// SPDX-License-Identifier: Apache-2.0
package io.mely.bench;

import io.mely.bench.paper.PaperCommand;
import io.mely.bench.simulate.SimulateCommand;
import java.util.Arrays;

/** Entrance of {@code benchmarks.jar}: {@code paper …} runs the papers' experiments, {@code simulate …} predicts them, anything else is for JMH. */
public final class Main {
    private Main() {}

    /**
     * Runs what is asked for.
     *
     * @param args {@code paper} and its options, or JMH's arguments
     * @throws Exception from JMH
     */
    public static void main(String[] args) throws Exception {
        if (args.length > 0 && args[0].equals("paper")) {
            System.exit(PaperCommand.execute(Arrays.copyOfRange(args, 1, args.length)));
        }
        if (args.length > 0 && args[0].equals("simulate")) {
            System.exit(SimulateCommand.execute(Arrays.copyOfRange(args, 1, args.length)));
        }
        org.openjdk.jmh.Main.main(args);
    }
}
