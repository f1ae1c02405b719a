// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.sfs;

import io.mely.MelyBuilder;
import io.mely.Policy;
import io.mely.bench.libasync.Libasync;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A server that can be measured: OpenSSH's, SFS as people use it, or SFS in the colors of the papers on one of their runtimes.
 *
 * <p>In the papers' colors a client's bytes are decrypted, encrypted and sent in its color, and all requests run in the default color.
 *
 * @param name as the command line has it
 * @param settings lines of SFS's configuration
 * @param policy of its runtime; null: as SFS has it
 * @param isCopied whether there is a server of one core for each core, each on a port of its own
 */
record Engine(String name, List<String> settings, @Nullable Supplier<Policy> policy, boolean isCopied) {
    static final String SSHD = "sshd";
    static final String SFS = "sfs";

    /** The one whose profile is recorded: what its stages do, no policy changes. */
    static final String RECORDED = "mely-off";

    private static final String LIBASYNC = "libasync";
    private static final String COPIES = "copies";
    private static final String PAPER = "default-color=true";

    private static final Map<String, Engine> BY_NAME = new TreeMap<>();

    static {
        add(new Engine(SSHD, List.of(), null, false));
        add(new Engine(SFS, List.of(), null, false));
        add(new Engine("mely", List.of(PAPER), null, false));
        add(new Engine(RECORDED, List.of(PAPER, "stealing=off"), null, false));
        add(new Engine(LIBASYNC, List.of(PAPER), Policy::eventLoop, false));
        add(new Engine("libasync-mp", List.of(PAPER), Libasync::mp, false));
        add(new Engine("libasync-smp", List.of(PAPER), () -> Libasync.smp(false), false));
        add(new Engine("libasync-smp-ws", List.of(PAPER), () -> Libasync.smp(true), false));
        add(new Engine(COPIES, List.of(PAPER), Policy::eventLoop, true));
    }

    private static void add(Engine engine) {
        BY_NAME.put(engine.name, engine);
    }

    static List<String> names() {
        return List.copyOf(BY_NAME.keySet());
    }

    /**
     * Finds one.
     *
     * @param text a name, and behind a colon settings of SFS: {@code sfs:stealing=off;slice=64 KiB}
     * @throws IllegalArgumentException if there is none such
     */
    static Engine of(String text) {
        int colon = text.indexOf(':');
        Engine found = BY_NAME.get(colon < 0 ? text : text.substring(0, colon));
        if (found == null || (colon >= 0 && found.isSshd())) {
            throw new IllegalArgumentException(
                    "--server must be one of " + names() + ", but for sshd with :KEY=VALUE;... behind: " + text);
        }
        if (colon < 0) {
            return found;
        }
        List<String> settings = new ArrayList<>(found.settings);
        settings.addAll(List.of(text.substring(colon + 1).split(";", -1)));
        return new Engine(text, settings, found.policy, found.isCopied);
    }

    /** Its name without settings. */
    String kind() {
        int colon = name.indexOf(':');
        return colon < 0 ? name : name.substring(0, colon);
    }

    boolean isSshd() {
        return name.equals(SSHD);
    }

    /** How many servers it has on so many cores. */
    int copies(int cores) {
        return isCopied ? cores : 1;
    }

    /** The cores of each of its servers on so many. */
    int coresOfEach(int cores) {
        return isCopied || kind().equals(LIBASYNC) ? 1 : cores;
    }

    /** Gives SFS's runtime its policy; the cores are tuned as SFS has them. */
    MelyBuilder applyTo(MelyBuilder builder) {
        Supplier<Policy> own = policy;
        return own == null
                ? builder
                : builder.policy(own.get().withThreadsPerCore(1).withSpin(Duration.ZERO));
    }
}
