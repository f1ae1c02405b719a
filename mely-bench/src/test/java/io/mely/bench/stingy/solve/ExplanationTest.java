// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stingy.solve;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

// The explanation names what limits, what is scarce, what more memory buys, and what is left out.
class ExplanationTest {
    private static String explain(Planner planner) {
        return new Explanation(planner).toString();
    }

    @Test
    void limits_areNamedWithTheScarceObject() throws InfeasibleException {
        String text = explain(new Planner(Models.figure2(1, 1, 1).in(7)));
        assertThat(text)
                .contains("7 of 7 bytes are used; areas: 2. Work per request: 0.9167, and no plan has less.")
                .contains("Stages 2, 3 limit: each holds 3 requests, for want of O1, and has 36 % of the work.");
        assertThat(explain(new Planner(Models.figure2(200, 100, 8).in(2000))))
                .contains("Stage 1 limits: it holds 12 requests, for want of O2, and has 57 % of the work.");
    }

    @Test
    void moreMemory_isNamedWithWhatItBuys() throws InfeasibleException {
        assertThat(explain(new Planner(Models.figure2(200, 100, 1).in(2000))))
                .contains(
                        "With 1 KB more of region: ",
                        "O1 for 10 requests instead of 6",
                        "O2 for 10 requests instead of 8");
        assertThat(explain(new Planner(Models.figure2(20_000, 10_000, 1).in(200_000))))
                .contains("One KB more would change nothing; with ", " KB more of region: ");
    }

    @Test
    void whatIsLeftOut_isNamedWithItsReason() throws InfeasibleException {
        Models models = new Models()
                .object("log", 50)
                .stage("read", 1, "", "log", "", "write")
                .stage("write", 1, "", "", "", "");
        String text = explain(new Planner(models.in(1000)));
        assertThat(text)
                .contains("not managed: log: global: it still lives where stage write ends, and nobody frees it");
    }
}
