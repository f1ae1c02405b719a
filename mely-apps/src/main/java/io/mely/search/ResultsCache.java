// SPDX-License-Identifier: Apache-2.0
package io.mely.search;

import io.mely.search.index.SearchIndex;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Finished answers of queries with several words. The least recently used ones go when there are too many bytes.
 *
 * <p><b>Threads.</b> One: its stage is single-threaded. <b>Source.</b> spec: stages §10.1, stage 10.
 */
final class ResultsCache {
    /** What an entry takes beside its bytes: a guess, of objects and lists. */
    private static final int ENTRY_BYTES = 400;

    private final long bytesMax;
    private final Map<Key, Entry> entries = new LinkedHashMap<>(16, 0.75f, true);
    private long bytes;

    /** Of another generation nothing is found: it is its index that a key is of. */
    private record Key(SearchIndex index, String asked, List<String> stems, boolean isJson, boolean isCompressed) {}

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Entry(int[] found, int total, byte[] content, byte @Nullable [] compressed) {
        long bytes() {
            return (long) ENTRY_BYTES + content.length + (compressed == null ? 0 : compressed.length);
        }
    }

    ResultsCache(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    private static Key key(Search search) {
        return new Key(search.index, search.asked, search.stems, search.isJson, search.takesGzip);
    }

    /** Fills in the answer. False if it is not there. */
    boolean find(Search search) {
        Entry entry = entries.get(key(search));
        if (entry == null) {
            return false;
        }
        search.found = entry.found();
        search.total = entry.total();
        search.content = entry.content();
        search.compressed = entry.compressed();
        return true;
    }

    /** Keeps an answer. */
    void put(Search search) {
        Entry entry = new Entry(search.found, search.total, search.content, search.compressed);
        if (entry.bytes() > bytesMax) {
            return;
        }
        Entry former = entries.put(key(search), entry);
        bytes += entry.bytes() - (former == null ? 0 : former.bytes());
        Iterator<Entry> oldest = entries.values().iterator();
        while (bytes > bytesMax) {
            bytes -= oldest.next().bytes();
            oldest.remove();
        }
    }

    /** Forgets what is of another index: that is not asked any more, and holds memory. */
    void keepOnly(SearchIndex index) {
        entries.keySet().removeIf(key -> key.index() != index);
        bytes = entries.values().stream().mapToLong(Entry::bytes).sum();
    }

    int size() {
        return entries.size();
    }

    long bytes() {
        return bytes;
    }
}
