// SPDX-License-Identifier: Apache-2.0
/** What a core blocks in, and the clocks it reads: the seams other modules and tests plug into. */
@NullMarked
package io.mely.spi;

import org.jspecify.annotations.NullMarked;
