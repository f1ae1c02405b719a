// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

/** {@link ApplicationBodyContract} on epoll. */
class EpollApplicationBodyTest extends ApplicationBodyContract {
    @Override
    SwsConfig.Transport transport() {
        return SwsConfig.Transport.EPOLL;
    }
}
