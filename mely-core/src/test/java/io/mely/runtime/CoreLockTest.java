// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import org.junit.jupiter.api.Test;

class CoreLockTest {
    // Its holder has broken off under it, and will never release it: nobody waits for that.
    @Test
    void lock_ofABrokenRuntime_isNotWaitedFor() {
        CoreLock lock = new CoreLock();
        lock.lock(() -> true); // free: nobody asks
        assertThat(lock.isLocked()).isTrue();
        assertThatIllegalStateException()
                .isThrownBy(() -> lock.lock(() -> true))
                .withMessageContaining("broke off");
    }
}
