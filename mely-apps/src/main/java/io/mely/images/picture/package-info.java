// SPDX-License-Identifier: Apache-2.0
/**
 * Pictures without stages and files: what format bytes have, whether they can be decoded without harm, decoding, scaling, blurring, encoding.
 *
 * <p>Every class is used by one thread at a time, unless it says otherwise. What is wrong with a picture is a {@link io.mely.images.picture.PictureException}, which has
 * the status to answer.
 */
@NullMarked
package io.mely.images.picture;

import org.jspecify.annotations.NullMarked;
