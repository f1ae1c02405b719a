// SPDX-License-Identifier: Apache-2.0
/**
 * The access log: each core writes its lines into a ring of bytes of its own, a thread empties the rings into a file. A core never waits:
 * a line for which there is no room is dropped and counted.
 *
 * <p><b>Happens-before.</b> What a core offered is visible to the thread that polls it.
 */
@NullMarked
package io.mely.sws.log;

import org.jspecify.annotations.NullMarked;
