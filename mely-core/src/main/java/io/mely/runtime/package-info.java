// SPDX-License-Identifier: Apache-2.0
/** The runtime: its cores, the colors that live on them and move between them, and its life. */
@NullMarked
package io.mely.runtime;

import org.jspecify.annotations.NullMarked;
