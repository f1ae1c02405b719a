// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.mely.deploy.stingy.HoconFile.WrongFileException;
import io.mely.deploy.stingy.MemoryPlan;
import io.mely.deploy.stingy.MemoryPlan.PlannedObject;
import io.mely.deploy.stingy.PlanFile;
import io.mely.deploy.stingy.RuntimePlan;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

// The plan of a server fills the region and fits into it; one that the server could not keep is refused, and says why.
class SwsStingyTest {
    private static final Path SAMPLE = Path.of("..", "config", "sws-stingy.conf");

    @ParameterizedTest
    @ValueSource(longs = {16_448, 100_000, 148_000, 256 << 10, 1 << 20, 32 << 20, 1 << 30})
    void plan_fillsTheRegion(long regionBytes) {
        MemoryPlan plan = SwsStingy.plan(regionBytes);
        SwsStingy.check(plan);
        long used = RuntimePlan.of(plan).bytes();
        assertThat(used).isEqualTo(plan.usedBytes()).isLessThanOrEqualTo(regionBytes);
        boolean isFull = plan.objects().get(0).count() == ExchangePool.KEPT_MAX;
        assertThat(isFull || regionBytes - used < 16_448)
                .as("no room for one request more")
                .isTrue();
        assertThat(plan.objects().get(0).name()).isEqualTo(SwsStingy.HEAD);
    }

    @Test
    void plan_regionForNoRequest_isRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SwsStingy.plan(16_447))
                .withMessage("regionBytes must be >= 16448: regionBytes=16447");
    }

    // After a change of SwsStingy: mvn test -Dtest=SwsStingyTest -Dmely.reference.write=true writes it anew.
    @Test
    void sample_isThePlanOfOneMebibyte() throws Exception {
        MemoryPlan plan = SwsStingy.plan(1 << 20);
        String text = PlanFile.write(
                plan,
                List.of(
                        "Buffers of SWS in the cache of each core, for regions of 1 MiB: stingy = \"config/sws-stingy.conf\" in sws.conf.",
                        "Change region and counts. A site that is left out comes from ordinary memory; head must be there.",
                        "Without the allocs of ReadRequest no request waits: who finds no head takes ordinary memory at once."));
        if (Boolean.getBoolean("mely.reference.write")) {
            Files.writeString(SAMPLE, text);
        }
        assertThat(Files.readString(SAMPLE)).isEqualTo(text);
        assertThat(PlanFile.read(SAMPLE)).isEqualTo(plan);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "objects { reed { size = 99999, count = 1 } } | stingy must plan [head, read, write] only: object=reed",
                "objects { head { size = 16384, count = 1 } } | stingy must have a size > 16384 for head, or none is served: size=16384",
                "objects { read { size = 65537, count = 1 } } | stingy must plan head: objects=[read]",
                "objects { head { size = 16385, count = 1 } }, stages { CheckInCache { allocs { head = 1 } } } | stingy may have events of ReadRequest wait for one head, and nothing else: stage=CheckInCache: allocs={head=1}",
                "objects { head { size = 16385, count = 9 } }, stages { ReadRequest { allocs { head = 2 } } } | nothing else: stage=ReadRequest: allocs={head=2}"
            })
    void plan_thatIsNoServers_isRefused(String text, String problem) throws WrongFileException {
        MemoryPlan plan = PlanFile.readText("p.conf", "stingy { region = 1 MiB, " + text + " }");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SwsConfig.builder(Path.of(".")).stingy(plan).build())
                .withMessageContaining(problem);
    }

    // Without a stage that waits requests take what is free.
    @Test
    void plan_withoutWaiting_isFine() throws WrongFileException {
        MemoryPlan plan =
                PlanFile.readText("p.conf", "stingy { region = 1 MiB, objects { head { size = 20000, count = 3 } } }");
        SwsStingy.check(plan);
        assertThat(plan.objects()).extracting(PlannedObject::count).containsExactly(3);
        assertThat(StingyBuffers.bytes(plan, 2)).isBetween(120_000L, 121_000L);
        assertThat(StingyBuffers.bytes(null, 2)).isZero();
    }
}
