// SPDX-License-Identifier: Apache-2.0
package io.mely;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

// Native code is loaded when it is first needed: JNA takes about a tenth of a second, starts a process (ldconfig), and
// makes later JDKs warn.
class NativeCallsTest {
    @Test
    void defaultRuntime_inItsWholeLife_isNotPinnedAndLoadsNoNativeCode() throws Exception {
        assertThat(ChildJvm.run(NativeCallsTest.class, "-Xlog:class+load"))
                .contains("io.mely.runtime.Machine ", "one event has run", "pinned: false")
                .doesNotContain("com.sun.jna.");
    }

    /** One life, with the defaults. */
    public static void main(String[] args) throws Exception {
        CountDownLatch hasRun = new CountDownLatch(1);
        try (Mely mely = Mely.builder().build().start()) {
            mely.color(1).execute(hasRun::countDown);
            if (hasRun.await(Await.PATIENCE_S, TimeUnit.SECONDS)) {
                System.out.println("one event has run");
            }
            System.out.println("pinned: " + mely.stats().cores().stream().anyMatch(core -> core.cpu() >= 0));
        }
    }
}
