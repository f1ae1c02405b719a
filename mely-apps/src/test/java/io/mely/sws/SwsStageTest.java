// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Property: the ten handlers of the paper are there, in the colors of the paper, and each is reached from the loop. */
class SwsStageTest {
    @Test
    void ofThePaper_tenHandlers() {
        assertThat(SwsStage.ofThePaper().stream().map(SwsStage::label))
                .containsExactlyInAnyOrder(
                        "Epoll",
                        "Accept",
                        "ReadRequest",
                        "ParseRequest",
                        "CheckInCache",
                        "WriteResponse",
                        "Close",
                        "DecClientAccepted",
                        "BadRequest",
                        "NotFound");
        Set<SwsStage> acceptors = SwsStage.ofThePaper().stream()
                .filter(stage -> stage.lane() == SwsStage.Lane.ACCEPTOR)
                .collect(Collectors.toSet());
        assertThat(acceptors).containsExactlyInAnyOrder(SwsStage.ACCEPT, SwsStage.DEC_CLIENT_ACCEPTED);
        assertThat(SwsStage.EPOLL.lane()).isEqualTo(SwsStage.Lane.LOOP);
    }

    @Test
    void successors_reachEveryStageOfThePaper() {
        Set<SwsStage> reached = EnumSet.of(SwsStage.EPOLL);
        for (int i = 0; i < SwsStage.values().length; i++) {
            for (SwsStage stage : EnumSet.copyOf(reached)) {
                reached.addAll(stage.successors());
            }
        }
        assertThat(reached).containsAll(SwsStage.ofThePaper());
    }

    @Test
    void options_areAnnotated() {
        for (SwsStage stage : SwsStage.values()) {
            // How long a file takes depends on the disk, the configuration and the client; a handshake, on the key; an
            // application on itself.
            Set<SwsStage> measured = EnumSet.of(
                    SwsStage.WRITE_FILE, SwsStage.LOAD_FILE, SwsStage.HANDSHAKE, SwsStage.APPLY, SwsStage.ANSWER);
            assertThat(stage.options().processingTimeNs() > 0).as(stage.label()).isEqualTo(!measured.contains(stage));
        }
    }

    /** A connection that was stolen is away from its loop for good: one request must not be worth the trip, a slice of a file may be. */
    @Test
    void options_aRequestIsNotWorthASteal() {
        long stealNs = 500; // the budget of the cheapest one, docs/benchmarks.md
        for (SwsStage stage : EnumSet.of(SwsStage.READ_REQUEST, SwsStage.PARSE_REQUEST, SwsStage.CHECK_IN_CACHE)) {
            assertThat(timeLeftNs(stage)).as(stage.label()).isLessThan(stealNs);
        }
        assertThat(timeLeftNs(SwsStage.WRITE_RESPONSE)).isGreaterThan(2 * stealNs);
    }

    private static long timeLeftNs(SwsStage stage) {
        return stage.options().processingTimeNs() / stage.options().penalty();
    }
}
