// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.Await;
import io.mely.Mely;
import java.time.Duration;
import org.junit.jupiter.api.Test;

// A worker that somebody has taken while everything stops is not left behind.
class CrewTest {
    @Test
    void workerThatIsGivenBackAfterTheStop_ends() {
        MelyRuntime runtime =
                Hooks.runtime(Mely.builder().name("crew").cores(1).build().start());
        Crew crew = runtime.core(0).crew();
        CoreWorker taken = crew.take();
        assertThat(taken).isNotNull();
        runtime.life().closeStop();
        Await.until("it waits", () -> taken.thread.getState() == Thread.State.WAITING);
        crew.give(taken);
        Await.until("its thread ends", () -> !taken.thread.isAlive());
        runtime.close(Duration.ZERO);
    }
}
