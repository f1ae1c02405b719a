// SPDX-License-Identifier: Apache-2.0
/** Who is let into a stage: bounds on rates and response times, for an overloaded server. */
@NullMarked
package io.mely.admission;

import org.jspecify.annotations.NullMarked;
