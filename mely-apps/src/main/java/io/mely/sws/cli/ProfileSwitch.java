// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.cli;

import io.mely.Recording;
import io.mely.WorkloadProfile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Records what the server is asked to do, on demand: one signal begins, the next one, or the end of the server, writes the file.
 *
 * <p><b>Threads.</b> Any. <b>Errors.</b> A file that cannot be written is said so, and the server goes on.
 */
final class ProfileSwitch {
    private final Server server;
    private final Path file;
    private final Consumer<String> say;
    private @Nullable Recording recording; // guarded by this

    /**
     * Starts without a recording.
     *
     * @param server what is recorded
     * @param file is written at the end of each recording
     * @param say gets a line for each begin and end
     */
    ProfileSwitch(Server server, Path file, Consumer<String> say) {
        this.server = server;
        this.file = file;
        this.say = say;
    }

    /** Begins, or ends. */
    synchronized void toggle() {
        if (recording == null) {
            recording = server.record();
            say.accept("recording a profile");
        } else {
            end();
        }
    }

    /** Ends, if one has begun. */
    synchronized void end() {
        Recording ended = recording;
        if (ended == null) {
            return;
        }
        recording = null;
        WorkloadProfile profile = ended.stop();
        String shown = Text.escape(file.toString());
        try {
            profile.write(file);
            say.accept(String.format(
                    Locale.ROOT, "profile of %.1f s, %,d events: %s", profile.seconds(), profile.runs(), shown));
        } catch (IOException failed) {
            say.accept("profile cannot be written: " + shown + ": " + Text.escape(String.valueOf(failed)));
        }
    }
}
