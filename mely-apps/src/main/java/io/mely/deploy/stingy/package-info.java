// SPDX-License-Identifier: Apache-2.0
/** Plans of buffers that stay in the cache: their file, what the runtime makes of one, and a check whether a program keeps to it. {@code benchmarks.jar stingy gen} makes plans. */
@NullMarked
package io.mely.deploy.stingy;

import org.jspecify.annotations.NullMarked;
