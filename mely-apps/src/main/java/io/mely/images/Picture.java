// SPDX-License-Identifier: Apache-2.0
package io.mely.images;

import io.mely.Color;
import io.mely.images.picture.Orientation;
import io.mely.images.store.PictureId;
import java.awt.image.BufferedImage;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A decoded picture, until its last file is written or it has failed.
 *
 * <p><b>Threads.</b> Any; what changes says how.
 */
final class Picture {
    /**
     * A file that is there.
     *
     * @param version of the picture
     * @param file its name
     * @param width in pixels
     * @param height in pixels
     * @param bytes of the file
     */
    record Ready(String version, String file, int width, int height, int bytes) {
        Map<String, Object> toJson(PictureId id) {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("version", version);
            json.put("address", "/images/" + id + "/" + file);
            json.put("width", width);
            json.put("height", height);
            json.put("bytes", bytes);
            return json;
        }
    }

    final PictureId id;
    final Color color;
    final Orientation orientation;

    /** Pixels of a row and of a column, upright. */
    final int width;

    final int height;

    /** Of the file that was sent. */
    final long sourceBytes;

    /** Taken from the budget until the end. */
    final long memoryBytes;

    private final int files;
    private final AtomicBoolean isFailed = new AtomicBoolean();
    private final AtomicBoolean isCounted = new AtomicBoolean();
    private final List<Ready> ready = new ArrayList<>(); // guarded by itself

    /** What the next version is made of. In the picture's color. */
    BufferedImage image;

    Picture(Upload.Opened opened, Color color, BufferedImage image, long sourceBytes, int files) {
        id = opened.id();
        this.color = color;
        this.image = image;
        orientation = opened.reader().orientation();
        width = orientation.swapsSides() ? image.getHeight() : image.getWidth();
        height = orientation.swapsSides() ? image.getWidth() : image.getHeight();
        this.sourceBytes = sourceBytes;
        memoryBytes = opened.memoryBytes();
        this.files = files;
    }

    /** A file is there; true if it is the last one. */
    boolean add(Ready file) {
        synchronized (ready) {
            ready.add(file);
            return ready.size() == files;
        }
    }

    /** Gives it up; true for the first who does. */
    boolean fail() {
        return isFailed.compareAndSet(false, true);
    }

    boolean isFailed() {
        return isFailed.get();
    }

    /** True once: for its first encoded file. */
    boolean count() {
        return isCounted.compareAndSet(false, true);
    }

    boolean isReady(String file) {
        synchronized (ready) {
            return ready.stream().anyMatch(each -> each.file.equals(file));
        }
    }

    /** What is answered about it. */
    byte[] status(String state) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("id", id.text());
        json.put("state", state);
        json.put("width", width);
        json.put("height", height);
        json.put("files", files);
        synchronized (ready) {
            json.put("ready", ready.stream().map(each -> each.toJson(id)).toList());
        }
        return Json.of(json);
    }

    @Override
    public String toString() {
        return "Picture[" + id + ", " + width + " x " + height + "]";
    }
}
