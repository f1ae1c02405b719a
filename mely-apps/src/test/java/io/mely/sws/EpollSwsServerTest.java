// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

/** {@link SwsServerContract} on epoll. */
class EpollSwsServerTest extends SwsServerContract {
    @Override
    SwsConfig.Transport transport() {
        return SwsConfig.Transport.EPOLL;
    }
}
