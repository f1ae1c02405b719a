// SPDX-License-Identifier: Apache-2.0
/** Scheduling policies: each arranges what is ready. The colored one, which also keeps the colors, is in {@code io.mely.runtime}. */
@NullMarked
package io.mely.policy;

import org.jspecify.annotations.NullMarked;
