// SPDX-License-Identifier: Apache-2.0

/** What is indexed: where pages come from, and how they are read. */
@NullMarked
package io.mely.search.corpus;

import org.jspecify.annotations.NullMarked;
