// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.files;

import io.mely.sws.http.Coding;
import io.mely.sws.http.ErrorResponses;
import io.mely.sws.http.HeaderRule;
import io.mely.sws.http.ServerFields;
import io.mely.sws.http.Status;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The answers to the paths asked for lately: small files as complete responses in native memory, within a budget of bytes; large
 * files kept open, within a number; and what is missing, within another.
 *
 * <p>An answer is checked against the disk (stat) when it is asked for and the last check is older than the interval; by one thread,
 * the others go on with what there is. So a change is seen after the interval at the latest, and a busy file costs one stat an
 * interval.
 *
 * <p><b>Threads.</b> Each thread has a {@link Seat}; seats work at once. <b>Costs.</b> A hit: one hash of the path, one
 * look-up, one fence; no lock, nothing allocated. A miss: see {@link FileLoader}, and the lock for some 100 ns.
 * <b>Bounds.</b> The budget holds for what is in the cache; answers that were replaced while clients were still being sent them
 * come on top, at most one for a client; all together for the {@link NativeMemory}. <b>Locks.</b> One, innermost; the disk is never read under it.
 */
public final class FileCache implements AutoCloseable {
    /** What an answer takes on the heap beside its block, mostly for its 304: 1,206 bytes a file measured with 5,000 files. */
    static final int OVERHEAD_BYTES = 1200;

    /**
     * The bounds of a cache.
     *
     * @param memoryBytesMax budget of small files, with {@link #OVERHEAD_BYTES} each
     * @param fileBytesMax largest small file
     * @param openFilesMax most large files kept open
     * @param missesMax most answers without a file
     * @param checkIntervalNs longest time without a look at the disk
     */
    public record Limits(
            long memoryBytesMax, int fileBytesMax, int openFilesMax, int missesMax, long checkIntervalNs) {}

    /**
     * How the folder is served.
     *
     * @param root the folder
     * @param indexFiles names tried for a folder
     * @param isListing whether folders without one are listed
     * @param isHiddenServed whether names with a leading dot are served
     * @param areLinksFollowed whether links inside the root are followed
     * @param codings of files that lie beside others
     * @param headers fields added to the responses for files
     * @param fields what stands in every response
     * @param gzip which files are compressed on the fly
     * @param fallbackFiles paths of files that are sent for others, if the client takes pages
     * @param more what else decides which file is sent
     */
    public record Rules(
            Path root,
            List<String> indexFiles,
            boolean isListing,
            boolean isHiddenServed,
            boolean areLinksFollowed,
            List<Coding> codings,
            List<HeaderRule> headers,
            ServerFields fields,
            Gzip gzip,
            Set<String> fallbackFiles,
            FileRules more) {}

    /** A large file that nobody has asked for in this time is closed: if it was deleted, its room on the disk is free only then. A guess. */
    static final long OPEN_UNUSED_NS = TimeUnit.SECONDS.toNanos(60);

    /** Files that are compressed at once: a guess that leaves most CPUs to the cores. */
    private static final int PACKING_MAX = 2;

    /** No file that is compressed may take more of the budget: one part of so many. */
    private static final int PACKED_PART = 4;

    private static final System.Logger LOG = System.getLogger(FileCache.class.getName());

    private final Limits limits;
    private final boolean isHiddenServed;
    private final FileLoader loader;
    private final Hazards hazards;
    private final Seat[] seats;
    private final ConcurrentHashMap<PathKey, FileEntry> entries = new ConcurrentHashMap<>();
    private final FileEntry hidden;
    private final Background background;

    /** What is being compressed. */
    private final Set<PathKey> packing = ConcurrentHashMap.newKeySet();

    private final ReentrantLock lock = new ReentrantLock();
    private final ClockRing memory; // guarded by lock, like the rest
    private final ClockRing files;
    private final ClockRing misses;
    private final ArrayDeque<FileEntry> retired = new ArrayDeque<>();

    /** Changed under the lock, read without. */
    private final AtomicInteger openFiles = new AtomicInteger();

    private boolean isClosed;

    /** Read without the lock, as a hint. */
    private volatile boolean hasRetired;

    /**
     * Makes an empty cache.
     *
     * @param rules how the folder is served
     * @param limits its bounds
     * @param nativeMemory for files, in the cache or not
     * @param errors pages for what is missing
     * @param threads number of threads that serve at once
     * @param wallClockMs milliseconds since 1970
     * @param background compresses
     */
    public FileCache(
            Rules rules,
            Limits limits,
            NativeMemory nativeMemory,
            ErrorResponses errors,
            int threads,
            LongSupplier wallClockMs,
            Background background) {
        this.limits = limits;
        this.background = background;
        isHiddenServed = rules.isHiddenServed();
        long largest = Math.min(limits.fileBytesMax(), limits.memoryBytesMax() - 2L * OVERHEAD_BYTES);
        loader = new FileLoader(
                new FileTree(rules.root(), rules.indexFiles(), rules.more().trySuffixes(), rules.codings()),
                new SafeOpener(
                        rules.root(), rules.areLinksFollowed(), rules.more().withheld()),
                MimeTypes.bundled(),
                rules.more(),
                errors,
                new HeaderRules(
                        joined(rules.more().always(), rules.headers()),
                        rules.more().cors()),
                rules.fields(),
                largest,
                rules.isListing(),
                wallClockMs,
                gzipWithin(rules.gzip(), limits),
                rules.fallbackFiles(),
                nativeMemory);
        hazards = new Hazards(threads);
        memory = new ClockRing(limits.memoryBytesMax());
        files = new ClockRing(limits.openFilesMax());
        misses = new ClockRing(limits.missesMax());
        hidden = new FileEntry(PathKey.copyOf(new byte[0], 0, 0), FileTree.Found.MISSING, errors.of(Status.NOT_FOUND));
        seats = new Seat[threads];
        for (int i = 0; i < threads; i++) {
            seats[i] = new Seat(i);
        }
    }

    private static List<HeaderRule> joined(List<HeaderRule> first, List<HeaderRule> second) {
        return Stream.concat(first.stream(), second.stream()).toList();
    }

    private static Gzip gzipWithin(Gzip gzip, Limits limits) {
        long bytesMax = Math.min(gzip.bytesMax(), limits.memoryBytesMax() / PACKED_PART);
        return new Gzip(gzip.level(), gzip.bytesMin(), bytesMax);
    }

    /**
     * The view of one thread.
     *
     * @param thread its index
     * @return always the same one
     */
    public Seat seat(int thread) {
        return seats[thread];
    }

    /**
     * Native memory held by answers, in the cache or still in use.
     *
     * @return bytes
     */
    public long memoryBytes() {
        return loader.memoryBytes();
    }

    /**
     * Large files that are open, in the cache or still in use.
     *
     * @return descriptors
     */
    public int openFiles() {
        return openFiles.get();
    }

    /**
     * Answers in the cache.
     *
     * @return entries
     */
    public int size() {
        return entries.size();
    }

    /**
     * Closes, in the background, the large files that nobody has asked for in a minute. Those still in use are closed by their last user.
     *
     * @param nowNs the runtime's clock
     */
    public void closeUnused(long nowNs) {
        List<FileEntry> toClose = new ArrayList<>();
        lock.lock();
        try {
            files.forEach(entry -> {
                // Whoever asks when the check is due claims it, and so says when.
                if (nowNs - entry.checkedNs() >= limits.checkIntervalNs() + OPEN_UNUSED_NS) {
                    toClose.add(entry);
                }
            });
        } finally {
            lock.unlock();
        }
        if (!toClose.isEmpty()) {
            // To close a deleted file takes the disk's time. What is refused is looked at again.
            var unused = background.run(() -> toClose.forEach(this::discard));
        }
    }

    /** Forgets all answers. Those still in use are freed by their last user. */
    @Override
    public void close() {
        lock.lock();
        try {
            isClosed = true;
            for (FileEntry entry : new ArrayList<>(entries.values())) {
                entries.remove(entry.key(), entry);
                ringOf(entry).removed(weight(entry));
                retire(entry);
            }
        } finally {
            lock.unlock();
        }
        reap();
    }

    /** One thread's view: everything it is handed is safe from being freed until it is released. */
    public final class Seat {
        private final int index;
        private final PathKey probe = PathKey.probe();

        private Seat(int index) {
            this.index = index;
        }

        /**
         * Looks for the answer to a path, and checks it if that is due.
         *
         * @param bytes holds the path
         * @param from its first byte
         * @param end after its last byte
         * @param nowNs the runtime's clock
         * @return an answer to {@link #release}, or null: bring the path into canonical form and {@link #load} it
         */
        public @Nullable FileEntry find(byte[] bytes, int from, int end, long nowNs) {
            while (true) {
                FileEntry entry = entries.get(probe.at(bytes, from, end));
                if (entry == null) {
                    return null;
                }
                hazards.protect(index, entry);
                if (entry.isLive()) {
                    long checkedNs = entry.checkedNs();
                    boolean isDue = nowNs - checkedNs >= limits.checkIntervalNs();
                    if (isDue && entry.claimCheck(checkedNs, nowNs) && !loader.isUnchanged(entry)) {
                        hazards.clear(index);
                        FileEntry loaded = loadKey(entry.key(), nowNs);
                        if (loaded.listing() == null) {
                            return loaded;
                        }
                        release(loaded); // it is made by whoever loads it
                        return null;
                    }
                    entry.touch();
                    return entry;
                }
                hazards.clear(index); // it was replaced a moment ago: look again
            }
        }

        /**
         * Makes the answer to a path, and keeps it.
         *
         * @param path canonical
         * @param nowNs the runtime's clock
         * @param isJson whether a listing is made for programs
         * @return an answer to {@link #release}; if it has a {@link FileEntry#listing}, that is to be made first
         */
        public FileEntry load(RequestPath path, long nowNs, boolean isJson) {
            if (path.isHidden() && !isHiddenServed) {
                return hidden;
            }
            return loadKey(PathKey.copyOf(path.bytes(), 0, path.length()), nowNs, isJson);
        }

        /**
         * Exchanges an answer for the same file in a coding, if it is still there.
         *
         * @param entry what {@link #find} or {@link #load} returned last; released
         * @param coding one of its codings
         * @param nowNs the runtime's clock
         * @return an answer to {@link #release}; maybe one for the file as it is
         */
        public FileEntry exchange(FileEntry entry, Coding coding, long nowNs) {
            PathKey plain = entry.key();
            if (coding == Coding.GZIP && entry.packedPath() != null) {
                return exchangePacked(entry, entry.packedPath(), nowNs);
            }
            byte[] path = entry.variantPath(coding);
            release(entry);
            FileEntry variant = find(path, 0, path.length, nowNs);
            if (variant == null) {
                variant = loadKey(PathKey.copyOf(path, 0, path.length), nowNs);
            }
            if (variant.response().status() == Status.OK) {
                return variant;
            }
            release(variant); // it has gone since the file was looked at
            FileEntry again = find(plain);
            return again != null ? again : loadKey(plain, nowNs);
        }

        /** The gzip if it is ready; the file as it is while it is being made, or if it does not pay. */
        private FileEntry exchangePacked(FileEntry entry, byte[] path, long nowNs) {
            FileEntry packed = entries.get(probe.at(path, 0, path.length));
            boolean isCurrent = packed != null && packed.found().equals(entry.found());
            if (packed == null || !isCurrent) {
                if (packed != null) {
                    discard(packed); // of an earlier state of the file
                }
                pack(path, entry);
                return entry;
            }
            if (packed.response().status() != Status.OK) {
                packed.touch();
                return entry;
            }
            PathKey plain = entry.key();
            release(entry);
            hazards.protect(index, packed);
            if (packed.isLive()) {
                packed.touch();
                return packed;
            }
            hazards.clear(index);
            FileEntry again = find(plain);
            return again != null ? again : loadKey(plain, nowNs);
        }

        private @Nullable FileEntry find(PathKey key) {
            FileEntry entry = entries.get(key);
            if (entry != null) {
                hazards.protect(index, entry);
                if (entry.isLive()) {
                    return entry;
                }
                hazards.clear(index);
            }
            return null;
        }

        private FileEntry loadKey(PathKey key, long nowNs) {
            return loadKey(key, nowNs, false);
        }

        private FileEntry loadKey(PathKey key, long nowNs, boolean isJson) {
            return kept(loader.load(key, isJson), nowNs);
        }

        private FileEntry kept(FileEntry entry, long nowNs) {
            entry.setCheckedNs(nowNs);
            hazards.protect(index, entry); // before others can see it, replace it and free it
            keep(entry);
            return entry;
        }

        /**
         * Goes on with a list of files.
         *
         * @param listing what an answer of {@link #load} has begun; closed when this returns an answer
         * @param nowNs the runtime's clock
         * @return an answer to {@link #release}; null if there is more to do, after others had their turn
         */
        public @Nullable FileEntry step(FolderListing listing, long nowNs) {
            FileEntry entry = loader.step(listing);
            return entry == null ? null : kept(entry, nowNs);
        }

        /**
         * Keeps an answer that {@link #find} or {@link #load} returned beyond its release, for a response that takes several
         * events. Ended by {@link FileCache#unpin}.
         *
         * @param entry not released yet
         */
        public void pin(FileEntry entry) {
            entry.addPin();
        }

        /**
         * Ends the use of an answer.
         *
         * @param entry what {@link #find} or {@link #load} returned last
         */
        public void release(FileEntry entry) {
            hazards.clear(index);
            if (!entry.isKept()) {
                unpin(entry);
            }
            if (hasRetired) {
                reap();
            }
        }
    }

    /**
     * A redirect to another place than the entry's own, because the request had a query.
     *
     * @param location printable ASCII
     * @return a response without a body
     */
    public io.mely.sws.http.PreparedResponse redirectTo(String location) {
        return loader.redirectTo(location);
    }

    /**
     * Ends a {@link Seat#pin}.
     *
     * @param entry pinned
     */
    public void unpin(FileEntry entry) {
        if (entry.removePin() && entry.isDead()) {
            tryFree(entry);
        }
    }

    /** Puts an entry into the cache, or makes it the sole property of the caller, who unpins it in release. */
    private void keep(FileEntry entry) {
        entry.ownedBy(this);
        lock.lock();
        try {
            openFiles.addAndGet(entry.file() != null ? 1 : 0);
            ClockRing ring = ringOf(entry);
            if (isClosed || !entry.isKept() || !ring.makeRoom(weight(entry), this::evict)) {
                FileEntry old = entries.get(entry.key());
                if (old != null) {
                    discard(old); // or it would be served until it is due again, and then once more
                }
                entry.notKept();
                entry.addPin();
                entry.die();
                return;
            }
            FileEntry old = entries.put(entry.key(), entry);
            if (old != null) {
                ringOf(old).removed(weight(old));
                retire(old);
            }
            ring.add(entry, weight(entry));
        } finally {
            lock.unlock();
        }
    }

    /** Lets a gzip be made, unless one is being made or enough are. */
    private void pack(byte[] path, FileEntry plain) {
        PathKey key = PathKey.copyOf(path, 0, path.length);
        if (!plain.isKept() || plain.isDoubtful() || packing.size() >= PACKING_MAX || !packing.add(key)) {
            return;
        }
        String plainPath = plain.key().toString();
        FileTree.Found found = plain.found();
        var unused = background.run(() -> packNow(key, plainPath, found)).whenComplete((done, failure) -> {
            packing.remove(key);
            if (failure != null && !(failure instanceof RejectedExecutionException)) {
                LOG.log(Level.WARNING, "compressing failed", failure);
            }
        });
    }

    private void packNow(PathKey key, String plainPath, FileTree.Found found) {
        try {
            FileEntry packed = loader.pack(key, plainPath, found);
            if (packed != null) {
                keepPacked(packed);
            }
        } catch (IOException gone) {
            LOG.log(Level.DEBUG, "not compressed: {0}", gone.toString()); // whoever asks next will see why
        }
    }

    /** Puts an entry into the cache that nobody uses yet. */
    private void keepPacked(FileEntry entry) {
        entry.ownedBy(this);
        lock.lock();
        try {
            ClockRing ring = ringOf(entry);
            if (isClosed || !ring.makeRoom(weight(entry), this::evict)) {
                retire(entry);
                return;
            }
            FileEntry old = entries.put(entry.key(), entry);
            if (old != null) {
                ringOf(old).removed(weight(old));
                retire(old);
            }
            ring.add(entry, weight(entry));
        } finally {
            lock.unlock();
        }
    }

    private void discard(FileEntry entry) {
        lock.lock();
        try {
            if (!entries.remove(entry.key(), entry)) {
                return;
            }
            ringOf(entry).removed(weight(entry));
            entry.die();
        } finally {
            lock.unlock();
        }
        tryFree(entry);
    }

    private void evict(FileEntry entry) {
        entries.remove(entry.key(), entry);
        retire(entry);
    }

    /** Out of the map already; the lock is held. */
    private void retire(FileEntry entry) {
        entry.die();
        tryFree(entry);
    }

    /**
     * Frees a dead entry unless somebody uses it. Hazards are read before pins: who turned its hazard into a pin did so in the other
     * order, so one of the two is seen.
     */
    private void tryFree(FileEntry entry) {
        boolean isMine = false;
        lock.lock();
        try {
            if (hazards.isProtected(entry)) {
                if (!retired.contains(entry)) {
                    retired.add(entry);
                    hasRetired = true;
                }
            } else if (!entry.isPinned() && entry.casFreed()) {
                openFiles.addAndGet(entry.file() != null ? -1 : 0);
                isMine = true;
            }
        } finally {
            lock.unlock();
        }
        if (isMine) {
            entry.free();
        }
    }

    /** Looks again at what was protected when it was to be freed: at most one entry for each seat. */
    private void reap() {
        lock.lock();
        try {
            hasRetired = false;
            for (int i = retired.size(); i > 0; i--) {
                tryFree(retired.remove());
            }
        } finally {
            lock.unlock();
        }
    }

    private ClockRing ringOf(FileEntry entry) {
        return entry.block() != null ? memory : entry.file() != null ? files : misses;
    }

    private static long weight(FileEntry entry) {
        ByteBuf block = entry.block();
        return block == null
                ? 1
                : (long) block.capacity() + OVERHEAD_BYTES + entry.key().length();
    }
}
