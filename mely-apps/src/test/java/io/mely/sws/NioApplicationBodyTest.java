// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

/** {@link ApplicationBodyContract} on NIO. */
class NioApplicationBodyTest extends ApplicationBodyContract {
    @Override
    SwsConfig.Transport transport() {
        return SwsConfig.Transport.NIO;
    }
}
