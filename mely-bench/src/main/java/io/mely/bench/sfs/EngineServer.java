// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.sfs;

import io.mely.MelyBuilder;
import io.mely.bench.record.RecordCommand;
import io.mely.bench.record.Recorder;
import io.mely.runtime.Hooks;
import io.mely.sfs.cli.Main;
import io.mely.spi.NanoClock;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;

/** SFS on the runtime of an {@link Engine}, as a process of its own; writes the profile of what it did when it is stopped, if it is asked to. */
final class EngineServer {
    /** In place of a file: nothing is recorded. */
    static final String UNRECORDED = "-";

    private static final int OWN_ARGUMENTS = 3;

    private EngineServer() {}

    /**
     * Runs it.
     *
     * @param args name of the engine; file of the profile, or {@link #UNRECORDED}; seconds that are left out of it; then those of SFS
     */
    public static void main(String[] args) {
        Engine engine = Engine.of(args[0]);
        String[] ofSfs = Arrays.copyOfRange(args, OWN_ARGUMENTS, args.length);
        if (args[1].equals(UNRECORDED)) {
            Main.runOn(engine::applyTo, code -> code, ofSfs);
            return;
        }
        Recorder recorder = new Recorder(NanoClock.SYSTEM, Duration.ofSeconds(Long.parseLong(args[2])));
        PrintWriter err = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
        Main.runOn(
                runtime -> recorded(engine.applyTo(runtime), recorder),
                code -> code == 0 ? RecordCommand.write(recorder, Path.of(args[1]), err) : code,
                ofSfs);
    }

    private static MelyBuilder recorded(MelyBuilder runtime, Recorder recorder) {
        return Hooks.of(runtime).withObservers(recorder).on(runtime);
    }
}
