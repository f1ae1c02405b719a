// SPDX-License-Identifier: Apache-2.0
/**
 * Reads compiled classes and finds the stages of a program, who sends to whom, and where buffers are allocated and released: {@code memwalk} of the paper, for bytecode.
 *
 * <p>{@code Body} says what one method does with values that are symbols ({@code Atom}); {@code Program} carries them through calls that return something, {@code Resolver} through
 * fields and parameters, {@code Effects} lifts what depends on a parameter to the callers, and {@link io.mely.bench.stingy.walk.Walk} puts the graph together.
 */
@NullMarked
package io.mely.bench.stingy.walk;

import org.jspecify.annotations.NullMarked;
