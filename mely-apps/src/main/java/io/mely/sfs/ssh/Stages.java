// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.ssh;

import io.mely.Mely;
import io.mely.Stage;

/**
 * Where requests run that all clients share, and where their replies are encrypted and sent, as the paper's server has it: by their names they are told apart in figures.
 *
 * @param process in the default color
 * @param answer in the color of the client
 */
record Stages(Stage<Runnable> process, Stage<Runnable> answer) {
    static Stages of(Mely mely) {
        return new Stages(mely.stage("process", Runnable::run), mely.stage("answer", Runnable::run));
    }
}
