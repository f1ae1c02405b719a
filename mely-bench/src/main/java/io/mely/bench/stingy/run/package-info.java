// SPDX-License-Identifier: Apache-2.0
/** A program's stages and buffers, with a plan and without: on a simulated core, and on this machine. */
@NullMarked
package io.mely.bench.stingy.run;

import org.jspecify.annotations.NullMarked;
