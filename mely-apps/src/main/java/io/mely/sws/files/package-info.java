// SPDX-License-Identifier: Apache-2.0
/**
 * The served folder: from a request path to a file below the root, and the cache of responses made from small files. Knows no
 * sockets and no colors.
 *
 * <p>Paths are byte arrays in canonical form ({@link io.mely.sws.files.RequestPath}) until a file has to be looked at: a
 * request whose response is cached makes no string and no system call.
 *
 * <p><b>Happens-before.</b> A response that {@link io.mely.sws.files.FileCache} hands out is complete and immutable.
 */
@NullMarked
package io.mely.sws.files;

import org.jspecify.annotations.NullMarked;
