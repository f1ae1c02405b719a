// SPDX-License-Identifier: Apache-2.0
package io.mely.images.store;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Which pictures there are, and how large they are.
 *
 * <pre>
 *   UNKNOWN ──begin──► IN_WORK ──finish──► FINISHED ──(a newer one needs the room)──► UNKNOWN, leaving ──removed──► UNKNOWN
 *      ▲                │   ▲
 *      │                │fail│begin
 *      │                ▼   │
 *      └──(long ago)── FAILED
 * </pre>
 *
 * <p><b>Threads.</b> Any; guarded by itself. <b>Costs.</b> Some 150 bytes for each picture.
 */
public final class Catalogue {
    /** Failures that are remembered, so that who asks is told. A guess. */
    private static final int FAILED_MAX = 1_000;

    /** What is known of a picture. */
    public enum State {
        /** Nothing. */
        UNKNOWN,
        /** Decoded; some of its files may be there. */
        IN_WORK,
        /** All its files are there. */
        FINISHED,
        /** It was decoded, and then something went wrong. */
        FAILED
    }

    private final long bytesMax;
    private final Map<PictureId, Long> finished = new LinkedHashMap<>(); // bytes, the oldest first
    private final Set<PictureId> inWork = new HashSet<>();
    private final Set<PictureId> failed = new LinkedHashSet<>(); // the oldest first
    private final Set<PictureId> leaving = new HashSet<>();
    private long bytes;

    Catalogue(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    /**
     * What is known of a picture.
     *
     * @param id its name
     * @return now
     */
    public synchronized State state(PictureId id) {
        if (finished.containsKey(id)) {
            return State.FINISHED;
        }
        return inWork.contains(id) ? State.IN_WORK : failed.contains(id) ? State.FAILED : State.UNKNOWN;
    }

    /**
     * Begins a picture.
     *
     * @param id its name
     * @return false if it is in work or finished, or its files are being removed
     */
    public synchronized boolean begin(PictureId id) {
        if (finished.containsKey(id) || leaving.contains(id) || !inWork.add(id)) {
            return false;
        }
        failed.remove(id);
        return true;
    }

    /** Ends one. Says which others have to go; they are unknown from now on, and can't begin again until they are {@link #removed}. */
    synchronized List<PictureId> finish(PictureId id, long pictureBytes) {
        boolean wasInWork = inWork.remove(id);
        assert wasInWork : id;
        finished.put(id, pictureBytes);
        bytes += pictureBytes;
        List<PictureId> removed = new ArrayList<>();
        var oldest = finished.entrySet().iterator();
        while (bytes > bytesMax && finished.size() > 1) {
            Map.Entry<PictureId, Long> each = oldest.next();
            removed.add(each.getKey());
            bytes -= each.getValue();
            oldest.remove();
        }
        leaving.addAll(removed);
        return removed;
    }

    synchronized void removed(PictureId id) {
        leaving.remove(id);
    }

    synchronized void fail(PictureId id) {
        inWork.remove(id);
        failed.add(id);
        if (failed.size() > FAILED_MAX) {
            failed.remove(failed.iterator().next());
        }
    }

    synchronized List<PictureId> inWork() {
        return List.copyOf(inWork);
    }

    /**
     * The pictures that were finished last.
     *
     * @param count most of them
     * @return the newest first
     */
    public synchronized List<PictureId> newest(int count) {
        List<PictureId> all = new ArrayList<>(finished.keySet());
        List<PictureId> newest = new ArrayList<>(all.subList(Math.max(0, all.size() - count), all.size()));
        Collections.reverse(newest);
        return newest;
    }

    /**
     * What finished pictures take on the disk.
     *
     * @return bytes; at most the limit, or those of one picture
     */
    public synchronized long bytes() {
        return bytes;
    }

    /**
     * Finished pictures.
     *
     * @return their number
     */
    public synchronized int size() {
        return finished.size();
    }
}
