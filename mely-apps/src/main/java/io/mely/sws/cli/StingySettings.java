// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.cli;

import io.mely.cli.Text;
import io.mely.cli.UsageException;
import io.mely.cli.Values;
import io.mely.deploy.stingy.HoconFile.WrongFileException;
import io.mely.deploy.stingy.MemoryPlan;
import io.mely.deploy.stingy.PlanFile;
import io.mely.stingy.CacheShare;
import io.mely.stingy.StingyPlan;
import io.mely.sws.SwsStingy;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The setting of buffers that lie in the caches of the cores.
 *
 * <p><b>Threads.</b> Any.
 */
final class StingySettings {
    static final String OFF = "off";
    private static final String ON = "on";

    /** Where the machine does not say how large its caches are: the second-level cache of many. */
    private static final long REGION_BYTES = 1 << 20;

    private StingySettings() {}

    /** The plan that is asked for; null if none is. */
    static @Nullable MemoryPlan plan(Values values) throws UsageException {
        String text = values.get(Settings.STINGY);
        if (text.equalsIgnoreCase(OFF)) {
            return null;
        }
        if (text.equalsIgnoreCase(ON)) {
            long share = CacheShare.ofThisMachine().orElse(REGION_BYTES);
            return SwsStingy.plan(Math.min(share, StingyPlan.REGION_BYTES_MAX));
        }
        try {
            return PlanFile.read(Path.of(text));
        } catch (WrongFileException wrong) {
            throw new UsageException(wrong.problems().stream().map(Text::escape).toList());
        }
    }
}
