// SPDX-License-Identifier: Apache-2.0
package io.mely.images;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Counts files that have left the encoder. The bytes of a picture as it was sent count when its first file is encoded, which is the thesis's measure of the server's speed.
 *
 * <p><b>Threads.</b> Any; guarded by itself. <b>Source.</b> spec: staged servers §9.5.
 */
public final class Statistics {
    /** Of the latest rate. */
    private static final long INTERVAL_NS = TimeUnit.SECONDS.toNanos(5);

    /**
     * A file that was encoded.
     *
     * @param sourceBytes of the picture, if it is its first; else 0
     * @param bytes of the file
     */
    record Encoded(long sourceBytes, int bytes) {}

    private final long startNs;
    private long pictures;
    private long sourceBytes;
    private long files;
    private long fileBytes;
    private long intervalStartNs;
    private long intervalBytes;
    private double latestRate;

    Statistics(long nowNs) {
        startNs = nowNs;
        intervalStartNs = nowNs;
    }

    synchronized void add(Encoded encoded, long nowNs) {
        if (encoded.sourceBytes > 0) {
            pictures++;
            sourceBytes += encoded.sourceBytes;
            intervalBytes += encoded.sourceBytes;
        }
        files++;
        fileBytes += encoded.bytes;
        long intervalNs = nowNs - intervalStartNs;
        if (intervalNs >= INTERVAL_NS) {
            latestRate = intervalBytes * 1e9 / intervalNs;
            intervalStartNs = nowNs;
            intervalBytes = 0;
        }
    }

    /**
     * The figures of now.
     *
     * @param nowNs by the clock that it was made by
     * @return names and values: pictures, bytes of them as they were sent, files made of them and their bytes; bytes of pictures a second, of the latest
     *     interval of five seconds or more, and since the start
     */
    public synchronized Map<String, Object> figures(long nowNs) {
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("pictures", pictures);
        figures.put("pictureBytes", sourceBytes);
        figures.put("files", files);
        figures.put("fileBytes", fileBytes);
        figures.put("latestBytesPerSecond", Math.round(latestRate));
        figures.put("bytesPerSecond", Math.round(sourceBytes * 1e9 / Math.max(1, nowNs - startNs)));
        return figures;
    }
}
