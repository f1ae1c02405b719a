// SPDX-License-Identifier: Apache-2.0
/**
 * The runtime by seed: the production core loop, queues, stealing, timers and close on one thread. A seed decides every interleaving, the
 * time and the faults; every invariant is checked after every step; a failing seed is one line that reproduces it, and is shrunk.
 *
 * <p>Start at {@link io.mely.simulation.Simulation}.
 */
package io.mely.simulation;
