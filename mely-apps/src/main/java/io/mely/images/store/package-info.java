// SPDX-License-Identifier: Apache-2.0
/**
 * The finished files on disk: {@link io.mely.images.store.Store} knows which pictures there are, and removes the oldest when there are too many.
 *
 * <pre>
 *   DIR/images/ID/VERSION.EXTENSION   a file of a picture; there as a whole or not at all
 *   DIR/images/ID/status.json         written last: without it the picture is not finished
 *   DIR/.images/                      files that are being written, and the lock
 * </pre>
 */
@NullMarked
package io.mely.images.store;

import org.jspecify.annotations.NullMarked;
