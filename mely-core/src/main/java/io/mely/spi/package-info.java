// SPDX-License-Identifier: Apache-2.0
/** What a core blocks in, the clock it reads, and how a group of stages is scheduled: the seams that other modules and tests plug into. */
@NullMarked
package io.mely.spi;

import org.jspecify.annotations.NullMarked;
