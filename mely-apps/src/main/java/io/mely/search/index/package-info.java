// SPDX-License-Identifier: Apache-2.0

/**
 * The index on disk: how it is made, and what can be read from it.
 *
 * <p>Lucene analyses text and keeps the lists. What is done with the lists is {@link io.mely.search}'s.
 */
@NullMarked
package io.mely.search.index;

import org.jspecify.annotations.NullMarked;
