// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

/** A worker of a core of Mely's own engine. */
final class ColoredWorker extends Worker {
    final Turn turn;

    ColoredWorker(Core core, Sender sender, Turn turn) {
        super(core, sender);
        this.turn = turn;
    }
}
