// SPDX-License-Identifier: Apache-2.0
/** The figures of a runtime for Micrometer, which the application brings along. */
@NullMarked
package io.mely.metrics;

import org.jspecify.annotations.NullMarked;
