// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

/** {@link RangeContract} on epoll. */
class EpollRangeTest extends RangeContract {
    @Override
    SwsConfig.Transport transport() {
        return SwsConfig.Transport.EPOLL;
    }
}
