// SPDX-License-Identifier: Apache-2.0
/** What the commands of {@code benchmarks.jar} write: JSON, pages with plots, and where they ran. */
@NullMarked
package io.mely.bench.report;

import org.jspecify.annotations.NullMarked;
