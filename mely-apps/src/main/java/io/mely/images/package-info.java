// SPDX-License-Identifier: Apache-2.0
/**
 * The image server of the staged-server thesis: takes pictures, and makes smaller, blurred and re-encoded versions of them. {@code ImageStages} has the graph. HTTP is
 * that of {@link io.mely.sws}, which also serves the finished files.
 */
@NullMarked
package io.mely.images;

import org.jspecify.annotations.NullMarked;
