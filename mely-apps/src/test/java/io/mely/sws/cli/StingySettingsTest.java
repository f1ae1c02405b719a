// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mely.cli.ConfigFile;
import io.mely.cli.StartException;
import io.mely.cli.UsageException;
import io.mely.deploy.stingy.MemoryPlan;
import io.mely.deploy.stingy.MemoryPlan.PlannedObject;
import io.mely.deploy.stingy.PlanFile;
import io.mely.sws.SwsStingy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

// The word or the file of the user is the plan of the server, and what is wrong with it is said with its place.
class StingySettingsTest {
    @TempDir
    Path folder;

    private static MemoryPlan plan(String value) throws UsageException, StartException {
        return Invocation.of(ConfigFile.readText(Settings.TABLE, "sws.conf", "stingy = " + value))
                .config()
                .stingy();
    }

    @Test
    void off_isTheDefault() throws Exception {
        assertThat(plan("off")).isNull();
        assertThat(plan("OFF")).isNull();
        assertThat(Settings.STINGY.defaultValue()).isEqualTo("off");
    }

    // Of whatever machine this is.
    @Test
    void on_isAsManyAsFit() throws Exception {
        MemoryPlan plan = plan("on");
        assertThat(plan).isEqualTo(SwsStingy.plan(plan.regionBytes()));
        assertThat(plan.objects()).extracting(PlannedObject::name).contains(SwsStingy.HEAD);
    }

    @Test
    void file_isThePlan() throws Exception {
        Path file = folder.resolve("plan.conf");
        MemoryPlan wanted = SwsStingy.plan(300_000);
        Files.writeString(file, PlanFile.write(wanted, List.of("mine")));
        assertThat(plan("\"" + file + "\"")).isEqualTo(wanted);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "stingy { region = 1 MiB, objects { head { size = 20000, cuont = 3 } } } | plan.conf:1: stingy.objects.head.cuont: unknown; the nearest known key is count",
                "stingy { region = 1 kB, objects { head { size = 20000, count = 3 } } } | plan.conf:1: stingy.region: has 1000 bytes, and the areas of the objects take",
                "stingy { region = 1 MiB, objects { body { size = 20000, count = 3 } } } | stingy must plan [head, read, write] only: object=body"
            })
    void file_thatIsWrong_isNamed(String text, String problem) throws Exception {
        Path file = Files.writeString(folder.resolve("plan.conf"), text);
        assertThatThrownBy(() -> plan("\"" + file + "\""))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining(problem);
    }

    @Test
    void file_thatIsMissing_isNamed() {
        assertThatThrownBy(() -> plan("\"" + folder.resolve("none.conf") + "\""))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("none.conf: no such file");
    }
}
