// SPDX-License-Identifier: Apache-2.0

/**
 * The search server: a query goes through fourteen stages, on one of three paths.
 *
 * <p>Read {@link io.mely.search.SearchStages} for the graph. <b>Source.</b> spec: stages §10.
 */
@NullMarked
package io.mely.search;

import org.jspecify.annotations.NullMarked;
