// SPDX-License-Identifier: Apache-2.0
package io.mely.images.picture;

import org.jspecify.annotations.Nullable;

/**
 * A file whose framing is in order.
 *
 * @param length bytes that count; what follows them is not looked at
 * @param exif its Exif data, which begins with the byte order; null if it has none
 * @param extraBytesPerPixel what decoding takes beside the decoded picture
 * @param tableBytes what it takes for tables, whatever the size of the picture
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Checked(int length, byte @Nullable [] exif, int extraBytesPerPixel, long tableBytes) {}
