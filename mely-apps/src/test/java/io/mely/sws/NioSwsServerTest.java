// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

/** {@link SwsServerContract} on NIO. */
class NioSwsServerTest extends SwsServerContract {
    @Override
    SwsConfig.Transport transport() {
        return SwsConfig.Transport.NIO;
    }
}
