// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.files;

import io.mely.net.OpenFile;
import io.mely.sws.http.Coding;
import io.mely.sws.http.Conditions;
import io.mely.sws.http.CorsRule;
import io.mely.sws.http.PartialHeads;
import io.mely.sws.http.PreparedResponse;
import io.netty.buffer.ByteBuf;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The answer to one path: a small file in memory, a large one kept open, or a response without a file (404, 301, a listing).
 * All but its life is immutable.
 *
 * <pre>
 *          replaced, evicted, closed            no hazard, no pin
 *   LIVE ──────────────────────────────► DEAD ────────────────────► FREED
 *                                          ▲
 *   made, but not kept: one pin ───────────┘
 *
 *   LIVE   in the cache; a core may use it under its hazard (Hazards), a connection under a pin
 *   DEAD   who holds a hazard or a pin may go on; nobody new may begin
 *   FREED  memory and descriptor are given back; done by exactly one thread, who won the CAS
 * </pre>
 *
 * <p><b>Threads.</b> Any.
 */
public final class FileEntry {
    static final int LIVE = 0;
    static final int DEAD = 1;
    static final int FREED = 2;

    private static final VarHandle STATE;
    private static final VarHandle PINS;
    private static final VarHandle CHECKED_NS;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            STATE = lookup.findVarHandle(FileEntry.class, "state", int.class);
            PINS = lookup.findVarHandle(FileEntry.class, "pins", int.class);
            CHECKED_NS = lookup.findVarHandle(FileEntry.class, "checkedNs", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final PathKey key;
    private final FileTree.Found found;
    private final PreparedResponse response;
    private final Map<Coding, byte[]> variantPaths;

    /** Copied out of what was found, for every request asks for it; and gzip, if it can be made. */
    private int codings;

    private byte @Nullable [] packedPath;

    private @Nullable Conditions conditions;
    private @Nullable PreparedResponse notModified;
    private @Nullable PartialHeads partialHeads;
    private @Nullable CorsRule cors;
    private @Nullable String location;
    private @Nullable FolderListing listing;
    private @Nullable FileCache owner;
    private @Nullable ByteBuf block;
    private @Nullable OpenFile file;
    private long fileBytes;
    private boolean isKept = true;
    private boolean isDoubtful;

    private volatile int state = LIVE;
    private volatile int pins;
    private volatile long checkedNs;

    /** Set by readers, cleared by the clock that evicts; a lost update costs a worse choice, nothing else. */
    private boolean isUsed;

    FileEntry(PathKey key, FileTree.Found found, PreparedResponse response) {
        this.key = key;
        this.found = found;
        this.response = response;
        codings = found.codings();
        variantPaths = found.codings() == 0 ? Map.of() : variantPaths(key, found.codings());
    }

    private static Map<Coding, byte[]> variantPaths(PathKey key, int codings) {
        Map<Coding, byte[]> paths = new EnumMap<>(Coding.class);
        for (Coding coding : Coding.values()) {
            if ((codings & coding.bit()) != 0) {
                paths.put(coding, FileTree.variant(key.toString(), coding).getBytes(StandardCharsets.UTF_8));
            }
        }
        return paths;
    }

    // What the loader adds before it hands the entry out.

    FileEntry withFile(Conditions fileConditions, PreparedResponse notModifiedResponse, @Nullable CorsRule rule) {
        conditions = fileConditions;
        notModified = notModifiedResponse;
        cors = rule;
        return this;
    }

    FileEntry withPartialHeads(PartialHeads heads) {
        partialHeads = heads;
        return this;
    }

    FileEntry withBlock(ByteBuf memory) {
        block = memory;
        return this;
    }

    FileEntry withOpenFile(OpenFile open, long bytes) {
        file = open;
        fileBytes = bytes;
        return this;
    }

    /** A gzip of it can be made, and is known under another path. */
    FileEntry withPackedPath(byte[] path) {
        packedPath = path;
        codings |= Coding.GZIP.bit();
        return this;
    }

    FileEntry withLocation(String redirectLocation) {
        location = redirectLocation;
        return this;
    }

    /** The answer is still to be made, by this. */
    FileEntry withListing(FolderListing begun) {
        listing = begun;
        return this;
    }

    /** Not put into the cache. */
    FileEntry notKept() {
        isKept = false;
        return this;
    }

    /** Loaded again at the next check, whatever stat says. */
    FileEntry doubtful(boolean isInDoubt) {
        isDoubtful = isInDoubt;
        return this;
    }

    // What a server sends.

    /**
     * Head, and body if it is in memory.
     *
     * @return the response to GET without conditions
     */
    public PreparedResponse response() {
        return response;
    }

    /**
     * What decides conditional requests.
     *
     * @return null if this is no file
     */
    public @Nullable Conditions conditions() {
        return conditions;
    }

    /**
     * The 304 of this file.
     *
     * @return null if this is no file
     */
    public @Nullable PreparedResponse notModified() {
        return notModified;
    }

    /**
     * Which pages of other origins may read it.
     *
     * @return null if there is no rule, or this is no file
     */
    public @Nullable CorsRule cors() {
        return cors;
    }

    /**
     * What heads the answers to ranges.
     *
     * @return null if this is no file
     */
    public @Nullable PartialHeads partialHeads() {
        return partialHeads;
    }

    /**
     * What makes the answer in steps, in place of this.
     *
     * @return null if this is the answer
     */
    public @Nullable FolderListing listing() {
        return listing;
    }

    /**
     * The file that the body is sent from.
     *
     * @return null if the body is in memory
     */
    public @Nullable OpenFile file() {
        return file;
    }

    /**
     * The length announced for {@link #file()}.
     *
     * @return bytes
     */
    public long fileBytes() {
        return fileBytes;
    }

    /**
     * Where a folder without its slash is, from the root on.
     *
     * @return printable ASCII
     */
    public String absoluteLocation() {
        return UriText.encode(key.toString()) + '/';
    }

    /**
     * Where a redirect goes, relative to the request, so that a query can be added.
     *
     * @return null if this is no redirect
     */
    public @Nullable String location() {
        return location;
    }

    /**
     * The codings that lie beside the file, or can be made of it.
     *
     * @return bits of {@link Coding}; 0 for most files
     */
    public int codings() {
        return codings;
    }

    /** UTF-8 of {@link FileTree#variant}. */
    byte[] variantPath(Coding coding) {
        return Objects.requireNonNull(variantPaths.get(coding));
    }

    /** Where a gzip of it is to be found; null if none is made. */
    byte @Nullable [] packedPath() {
        return packedPath;
    }

    // Life.

    PathKey key() {
        return key;
    }

    FileTree.Found found() {
        return found;
    }

    boolean isKept() {
        return isKept;
    }

    boolean isDoubtful() {
        return isDoubtful;
    }

    @Nullable
    ByteBuf block() {
        return block;
    }

    boolean isLive() {
        return state == LIVE;
    }

    boolean isDead() {
        return state == DEAD;
    }

    /** Full fence after it: pairs with the one in {@link Hazards#protect}. */
    void die() {
        STATE.setVolatile(this, DEAD);
    }

    boolean casFreed() {
        return STATE.compareAndSet(this, DEAD, FREED);
    }

    void addPin() {
        assert state != FREED : key;
        PINS.getAndAdd(this, 1);
    }

    /** Whose it is; before anybody can pin it. */
    void ownedBy(FileCache cache) {
        owner = cache;
    }

    /** Ends a {@link FileCache.Seat#pin}. */
    public void unpin() {
        Objects.requireNonNull(owner).unpin(this);
    }

    /** True if that was the last one. */
    boolean removePin() {
        int before = (int) PINS.getAndAdd(this, -1);
        assert before > 0 : key;
        return before == 1;
    }

    boolean isPinned() {
        return pins != 0;
    }

    long checkedNs() {
        return checkedNs;
    }

    void setCheckedNs(long nowNs) {
        checkedNs = nowNs;
    }

    /** True for the one thread that is to look at the disk now. */
    boolean claimCheck(long seenNs, long nowNs) {
        return CHECKED_NS.compareAndSet(this, seenNs, nowNs);
    }

    void touch() {
        if (!isUsed) {
            isUsed = true;
        }
    }

    boolean clearUsed() {
        boolean wasUsed = isUsed;
        isUsed = false;
        return wasUsed;
    }

    /** Gives back what it holds; by the winner of {@link #casFreed} only. */
    void free() {
        if (block != null) {
            block.release();
        }
        if (file != null) {
            file.close();
        }
    }

    @Override
    public String toString() {
        return "FileEntry[" + key + ", " + found.kind() + ", state=" + state + ", pins=" + pins + "]";
    }
}
