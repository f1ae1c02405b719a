// SPDX-License-Identifier: Apache-2.0

/** The command line of the search server: its settings, the indexer, and the demonstration. */
@NullMarked
package io.mely.search.cli;

import org.jspecify.annotations.NullMarked;
