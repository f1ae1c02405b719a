// SPDX-License-Identifier: Apache-2.0
package io.mely.net;

import java.util.BitSet;

/** Small numbers for sockets that have no public descriptor: always the lowest free one, as the kernel does it. */
final class Ids {
    static final Ids OF_NIO_SOCKETS = new Ids();

    private final BitSet used = new BitSet(); // guarded by this

    synchronized int take() {
        int id = used.nextClearBit(0);
        used.set(id);
        return id;
    }

    synchronized void give(int id) {
        assert used.get(id) : "given back twice: id=" + id;
        used.clear(id);
    }
}
