// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

/** {@link RangeContract} on NIO. */
class NioRangeTest extends RangeContract {
    @Override
    SwsConfig.Transport transport() {
        return SwsConfig.Transport.NIO;
    }
}
