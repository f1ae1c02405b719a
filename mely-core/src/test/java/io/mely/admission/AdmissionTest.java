// SPDX-License-Identifier: Apache-2.0
package io.mely.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import io.mely.Mely;
import io.mely.Stage;
import io.mely.StageOptions;
import java.time.Duration;
import org.junit.jupiter.api.Test;

// Spec stages §3.4 and §15 check 10, in virtual time.
class AdmissionTest {
    private static final long MS = 1_000_000;
    private static final long S = 1_000_000_000;
    private static final Duration TARGET = Duration.ofMillis(100);
    private static final Rates RATES = new Rates(10, 0.05, 5_000, 10);

    private long nowNs = 5 * S;

    /** A period of events that all take as long. */
    private void period(Admission of, long sojournNs) {
        for (int i = 0; i < 100; i++) {
            nowNs += MS;
            of.ran("x", sojournNs, nowNs);
        }
    }

    private static ControlledRate direct() {
        return (ControlledRate) ResponseTime.direct(TARGET).create(null);
    }

    private double directAfter(long sojournNs) {
        ControlledRate direct = direct();
        period(direct, sojournNs);
        return direct.ratePerS();
    }

    @Test
    void direct_aStepUp_halfDown_orNothing() {
        assertThat(directAfter(50 * MS)).isEqualTo(10.5);
        assertThat(directAfter(200 * MS)).isEqualTo(5);
        assertThat(directAfter(91 * MS)).isEqualTo(10);
        assertThat(directAfter(119 * MS)).isEqualTo(10);
    }

    @Test
    void direct_isSmoothed_andKeepsItsBounds() {
        ControlledRate direct = direct();
        period(direct, 50 * MS);
        period(direct, 1_000 * MS); // 0.7 * 50 + 0.3 * 1,000
        assertThat(direct.ratePerS()).isEqualTo(10.5 / 2);
        period(direct, 50 * MS); // 0.7 * 335 + 0.3 * 50: still too long
        assertThat(direct.ratePerS()).isEqualTo(10.5 / 4);
        for (int i = 0; i < 20; i++) {
            period(direct, 1_000 * MS);
        }
        assertThat(direct.ratePerS()).isEqualTo(0.05);
        for (int i = 0; i < 20_000; i++) {
            period(direct, MS);
        }
        assertThat(direct.ratePerS()).isEqualTo(5_000);
    }

    @Test
    void direct_scaled_takesLargerStepsUp() {
        ControlledRate direct =
                (ControlledRate) ResponseTime.direct(TARGET).withScale(200).create(null);
        period(direct, 50 * MS);
        assertThat(direct.ratePerS()).isEqualTo(110);
    }

    @Test
    void aPeriod_isASecond_ifFewerEventsRun() {
        ControlledRate direct = direct();
        direct.ran("x", 50 * MS, nowNs);
        direct.ran("x", 50 * MS, nowNs + S - 1);
        assertThat(direct.ratePerS()).isEqualTo(10);
        direct.ran("x", 50 * MS, nowNs + S);
        assertThat(direct.ratePerS()).isEqualTo(10.5);
    }

    @Test
    void percentile_isTheNinetieth() {
        Sojourns sojourns = new Sojourns(100, S, 0);
        for (int i = 99; i > 0; i--) {
            assertThat(sojourns.add(i, nowNs)).isFalse();
        }
        assertThat(sojourns.add(100, nowNs)).isTrue();
        assertThat(sojourns.p90Ns()).isEqualTo(91);
    }

    @Test
    void pid_followsDistance_change_andSum() {
        PidRule pid = new PidRule(100 * MS, 1);
        assertThat(pid.next(10, 50 * MS, nowNs)).isEqualTo(10.5);
        assertThat(pid.next(10.5, 50 * MS, nowNs + S)).isCloseTo(10.5 + 0.5 + 0.002 * 0.5, within(1e-9));
        double change = (-1 - 0.5) / 2;
        double sum = 0.5 - 1 * 2;
        assertThat(pid.next(10, 200 * MS, nowNs + 3 * S)).isCloseTo(10 - 1 - 0.5 * change + 0.002 * sum, within(1e-9));
    }

    @Test
    void pid_decidesEachFiveSeconds_andRemembersFourFifths() {
        PidRule pid = new PidRule(100 * MS, 1);
        assertThat(pid.periodNs()).isEqualTo(5 * S);
        assertThat(pid.oldWeight()).isEqualTo(0.8);
    }

    @Test
    void mm1_isTheFormula() {
        Mm1Rate mm1 = new Mm1Rate(new Rates(1_000, 0.5, 1e9, 100), 100 * MS, 1, () -> 10 * MS);
        assertThat(mm1.rate(50, 100)).isCloseTo(76.98, within(1e-9));
        assertThat(mm1.rate(101, 100)).as("more arrives than is served").isCloseTo(10, within(1e-9));
    }

    @Test
    void mm1_followsTheServiceRate_slowlyUp_fastDown() {
        Mm1Rate mm1 = new Mm1Rate(new Rates(1_000, 0.5, 1e9, 100), S, 1, () -> 10 * MS);
        assertThat(mm1.rate(0, 100)).isCloseTo(100 - 2.302, within(1e-9));
        assertThat(mm1.rate(0, 200)).isCloseTo(0.9 * 100 + 0.1 * 200 - 2.302, within(1e-9));
        assertThat(mm1.rate(0, 50)).isCloseTo(0.1 * 110 + 0.9 * 50 - 2.302, within(1e-9));
    }

    @Test
    void mm1_withoutARateThatWouldDo_isATenth_andThreadsAdd() {
        Mm1Rate tooShort = new Mm1Rate(new Rates(1_000, 0.5, 1e9, 100), 10 * MS, 1, () -> 10 * MS);
        assertThat(tooShort.rate(0, 100)).isCloseTo(10, within(1e-9));
        Mm1Rate four = new Mm1Rate(new Rates(1_000, 0.5, 1e9, 100), S, 4, () -> 10 * MS);
        assertThat(four.rate(0, 100)).isCloseTo(100 * (Math.log(4) + 1) - 2.302, within(1e-9));
    }

    @Test
    void mm1_decidesAfterFiveSeconds_orFiveThousandCalls() {
        try (Mely mely = Mely.builder().cores(1).build()) {
            StageOptions options = StageOptions.defaults().withProcessingTime(Duration.ofMillis(10));
            mm1Decides(mely.stage("s", options, event -> {}));
        }
    }

    private void mm1Decides(Stage<?> stage) {
        Mm1Rate mm1 = (Mm1Rate) ResponseTime.mm1(TARGET, 1).create(stage);
        assertThat(mm1.admits("x", 0, nowNs)).isTrue();
        assertThat(mm1.ratePerS()).isInfinite();
        assertThat(mm1.admits("x", 0, nowNs + 5 * S)).isTrue();
        assertThat(mm1.ratePerS()).isCloseTo(76.98, within(1e-9));
        Mm1Rate flooded = (Mm1Rate) ResponseTime.mm1(TARGET, 1).create(stage);
        int admitted = 0;
        for (int i = 0; i < 6_000; i++) {
            admitted += flooded.admits("x", 0, nowNs + i * 1_000) ? 1 : 0;
        }
        assertThat(flooded.ratePerS()).isCloseTo(10, within(1e-9));
        assertThat(admitted).as("those before the decision, and the depth").isEqualTo(4_999 + 100);
    }

    @Test
    void multiClass_lowerClassesGiveWayFirst() {
        MultiClass.Classes classes = (MultiClass.Classes)
                MultiClass.of(event -> "high".equals(event) ? 1 : 0, Duration.ofMillis(500), TARGET)
                        .withRates(new Rates(100, 0.05, 5_000, 1))
                        .create(null);
        period(classes, "high", 300 * MS);
        assertThat(classes.ratePerS(1)).isCloseTo(100 / 1.2, within(1e-9));
        assertThat(classes.ratePerS(0)).isCloseTo(10, within(1e-9));
        period(classes, "low", 50 * MS);
        assertThat(classes.ratePerS(0)).as("it has just given way").isCloseTo(10, within(1e-9));
        period(classes, "low", 50 * MS);
        assertThat(classes.ratePerS(0)).isCloseTo(10 + 2 * (0.9 - 0.1), within(1e-9));
    }

    private void period(Admission of, String event, long sojournNs) {
        for (int i = 0; i < 100; i++) {
            of.ran(event, sojournNs, nowNs);
        }
    }

    @Test
    void multiClass_smallErrors_changeNothing() {
        MultiClass.Classes classes =
                (MultiClass.Classes) MultiClass.of(event -> 7, TARGET).create(null);
        period(classes, "x", 95 * MS);
        assertThat(classes.ratePerS(0)).isEqualTo(100);
        MultiClass.Classes other =
                (MultiClass.Classes) MultiClass.of(event -> -1, TARGET).create(null);
        period(other, "x", 60 * MS);
        assertThat(other.ratePerS(0)).as("below, but by less than half").isEqualTo(100);
    }

    // Sandstorm's bucket gave a token a millisecond at most.
    @Test
    void bucket_keepsRatesAboveAThousand() {
        TokenBucket bucket = new TokenBucket(50_000, 10);
        int taken = 0;
        for (int us = 0; us < 1_000_000; us++) {
            taken += bucket.tryTake(nowNs + us * 1_000L) ? 1 : 0;
        }
        assertThat(taken).isBetween(50_009, 50_010);
    }

    @Test
    void bucket_holdsItsDepth_andNoTimeRunsBackwards() {
        TokenBucket bucket = new TokenBucket(1, 2);
        assertThat(bucket.tryTake(nowNs)).isTrue();
        assertThat(bucket.tryTake(nowNs - S)).isTrue();
        assertThat(bucket.tryTake(nowNs)).isFalse();
        assertThat(bucket.tryTake(nowNs + 100 * S)).isTrue();
        assertThat(bucket.tryTake(nowNs + 100 * S)).isTrue();
        assertThat(bucket.tryTake(nowNs + 100 * S)).isFalse();
    }

    @Test
    void badArguments_areNamed() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ResponseTime.direct(Duration.ZERO))
                .withMessageContaining("target=PT0S");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ResponseTime.mm1(TARGET, 0))
                .withMessageContaining("threads=0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ResponseTime.pid(TARGET).withScale(0))
                .withMessageContaining("scale=0.0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Rates(10, 0, 20, 1))
                .withMessageContaining("minPerS=0.0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Rates(30, 1, 20, 1))
                .withMessageContaining("startPerS=30.0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Rates(10, 1, 20, 0.5))
                .withMessageContaining("depth=0.5");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Admission.rate(0, 1))
                .withMessageContaining("ratePerS=0.0");
        assertThatIllegalArgumentException().isThrownBy(() -> MultiClass.of(event -> 0));
        assertThat(RATES.clamp(1e9)).isEqualTo(5_000);
    }
}
