// SPDX-License-Identifier: Apache-2.0
/**
 * A virtual machine in virtual cycles: caches and lines that move between cores, cores that take turns by their own time, and the loader that
 * weaves the costs into the runtime's classes. Nothing here knows a class of the runtime.
 */
@NullMarked
package io.mely.bench.simulate.machine;

import org.jspecify.annotations.NullMarked;
