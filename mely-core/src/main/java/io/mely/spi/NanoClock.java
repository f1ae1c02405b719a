// SPDX-License-Identifier: Apache-2.0
package io.mely.spi;

/**
 * The clock a runtime reads. Decisions take time from here and nowhere else, so that a test or a simulator owns it.
 *
 * <p><b>Threads.</b> Any. <b>Units.</b> Nanoseconds from an arbitrary origin; differences only.
 */
@FunctionalInterface
public interface NanoClock {
    /** The real clock. */
    NanoClock SYSTEM = System::nanoTime;

    /**
     * Reads the clock.
     *
     * @return nanoseconds since an arbitrary origin
     */
    long nanoTime();
}
