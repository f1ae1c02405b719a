// SPDX-License-Identifier: Apache-2.0
/** Color-queue, core-queue, stealing-queue and inbox. */
@NullMarked
package io.mely.queue;

import org.jspecify.annotations.NullMarked;
