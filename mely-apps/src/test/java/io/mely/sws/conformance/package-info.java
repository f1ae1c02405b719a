// SPDX-License-Identifier: Apache-2.0
/**
 * The conformance suite: one table of cases ({@code cases.txt}), run against SWS by {@code ConformanceTest} and against any server by
 * {@link io.mely.sws.conformance.Conformance}. It needs nothing but the JDK, so that it runs from the class folder alone.
 */
@NullMarked
package io.mely.sws.conformance;

import org.jspecify.annotations.NullMarked;
