// SPDX-License-Identifier: Apache-2.0
package io.mely.images;

import io.mely.images.picture.PictureFormat;
import io.mely.images.picture.Scaler;
import java.util.Comparator;
import java.util.List;

/**
 * What is made of every picture.
 *
 * @param versions the largest first
 * @param formats of the files of each
 * @param qualityPercent of JPEG and WebP, 1 to 100
 */
public record Recipe(List<Version> versions, List<PictureFormat> formats, int qualityPercent) {
    /** Of a version: itself, and the copy that an encoder makes. */
    private static final int BYTES_PER_PIXEL = 8;

    /** Sorts the versions. */
    public Recipe {
        if (versions.isEmpty() || formats.isEmpty()) {
            throw new IllegalArgumentException("versions and formats must not be empty: " + versions + ", " + formats);
        }
        versions = versions.stream()
                .sorted(Comparator.comparingInt(Version::side).reversed())
                .toList();
        formats = List.copyOf(formats);
    }

    /** Files of each picture. */
    int files() {
        return versions.size() * formats.size();
    }

    /** What all versions of a picture take. */
    long memoryBytes(int width, int height) {
        int longer = Math.max(width, height);
        long pixels = 0;
        for (Version version : versions) {
            int side = version.side();
            pixels += (long) Scaler.scaled(width, longer, side) * Scaler.scaled(height, longer, side);
        }
        return pixels * BYTES_PER_PIXEL;
    }

    /** As short as it is exact: two recipes with the same text make the same files. */
    String text() {
        return versions + " " + formats + " " + qualityPercent;
    }
}
