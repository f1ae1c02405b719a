// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.files;

import io.mely.net.OpenFile;
import io.mely.net.OutOfDescriptorsException;
import io.mely.sws.http.Coding;
import io.mely.sws.http.Conditions;
import io.mely.sws.http.ErrorResponses;
import io.mely.sws.http.HttpDate;
import io.mely.sws.http.PartialHeads;
import io.mely.sws.http.PreparedResponse;
import io.mely.sws.http.ResponseHead;
import io.mely.sws.http.ServerFields;
import io.mely.sws.http.Status;
import io.mely.sws.limits.WarningThrottle;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes the answer to a path by looking at the disk.
 *
 * <p><b>Threads.</b> Any. <b>Costs.</b> Some 50 microseconds for a file that the kernel has in memory; waits for the disk otherwise,
 * like sendfile does. A core that waits is robbed of its other colors. <b>Errors.</b> None: what fails is an answer too, and is
 * logged if it is the machine's fault.
 */
final class FileLoader {
    private static final System.Logger LOG = System.getLogger(FileLoader.class.getName());

    /** How often a file that changes while it is read is read again before it is sent as it was found. */
    private static final int TRIES = 3;

    /**
     * 1981: builds and archives that are to come out the same each time date files 1970 or 1980 (Nix, zip, Gradle). Such a date stays when the content changes.
     */
    private static final long DATES_FROM_S = 347_155_200;

    private final FileTree tree;
    private final SafeOpener opener;
    private final HeapBudget listingHeap;
    private final WarningThrottle warnings;
    private final MimeTypes types;
    private final FileRules rules;
    private final HeaderRules always;
    private final ErrorResponses errors;
    private final HeaderRules headerRules;
    private final ServerFields fields;
    private final long memoryBytesMax;
    private final boolean isListing;
    private final LongSupplier wallClockMs;
    private final Gzip gzip;
    private final Set<String> fallbackFiles;
    private final NativeMemory memory;

    FileLoader(
            FileTree tree,
            SafeOpener opener,
            MimeTypes types,
            FileRules rules,
            ErrorResponses errors,
            HeaderRules headerRules,
            ServerFields fields,
            long memoryBytesMax,
            boolean isListing,
            LongSupplier wallClockMs,
            Gzip gzip,
            Set<String> fallbackFiles,
            NativeMemory memory) {
        this.tree = tree;
        this.opener = opener;
        listingHeap = HeapBudget.ofHeap();
        warnings = new WarningThrottle(LOG, wallClockMs);
        this.types = types;
        this.rules = rules;
        always = new HeaderRules(rules.always(), rules.cors());
        this.errors = errors;
        this.headerRules = headerRules;
        this.fields = fields;
        this.memoryBytesMax = memoryBytesMax;
        this.isListing = isListing;
        this.wallClockMs = wallClockMs;
        this.gzip = gzip;
        this.fallbackFiles = fallbackFiles;
        this.memory = memory;
    }

    /** Native memory of all entries that are not freed yet. */
    long memoryBytes() {
        return memory.usedBytes();
    }

    /** Whether the path still leads to what it led to, on a way that may be gone: what lies there may have been moved, and a link left in its place. */
    boolean isUnchanged(FileEntry entry) {
        if (entry.isDoubtful()) {
            return false;
        }
        try {
            FileTree.Found found = tree.find(entry.key().toString());
            if (found.file() != null) {
                opener.check(found.file());
            }
            return found.equals(entry.found());
        } catch (IOException e) {
            return false; // the load will meet it again, and report it
        }
    }

    /** @param isJson what a listing is to be; it is never kept */
    FileEntry load(PathKey key, boolean isJson) {
        String path = key.toString();
        try {
            FileTree.Found found = tree.find(path);
            return switch (found.kind()) {
                case MISSING -> answer(key, found, Status.NOT_FOUND);
                case FORBIDDEN -> forbidden(key, path);
                case FOLDER_WITHOUT_SLASH -> redirect(key, found);
                case FOLDER -> isListing ? list(key, path, found, isJson) : answer(key, found, Status.NOT_FOUND);
                case FILE -> loadFile(key, path, found);
            };
        } catch (IOException e) {
            return failure(key, e);
        }
    }

    /** To be made in steps. In native memory like a file, for it may be too long to be copied into an output buffer. */
    private FileEntry list(PathKey key, String path, FileTree.Found found, boolean isJson) {
        HeaderRules.Fields more = always.of(path);
        ResponseHead head = new ResponseHead(Status.OK, fields)
                .field("Content-Type", isJson ? "application/json" : "text/html; charset=utf-8")
                .field("Vary", more.vary("Accept"))
                .field("X-Content-Type-Options", "nosniff")
                .field("Cache-Control", "no-cache");
        more.addTo(head);
        ListingFormat format = isJson ? ListingFormat.json() : ListingFormat.page(path);
        return answer(key, found, Status.SERVICE_UNAVAILABLE)
                .withListing(new FolderListing(key, found, opener, head, format, listingHeap, memory))
                .notKept();
    }

    /**
     * One step of a list.
     *
     * @param listing begun
     * @return the answer, not kept; null if there is more to do
     */
    @Nullable
    FileEntry step(FolderListing listing) {
        try {
            FileEntry done = listing.step();
            return listing.hasFailed()
                    ? answer(listing.key(), FileTree.Found.MISSING, Status.SERVICE_UNAVAILABLE)
                            .notKept()
                    : done;
        } catch (IOException e) {
            listing.close();
            return failure(listing.key(), e).notKept();
        }
    }

    /** Outside there is nothing for a client, whatever there is. */
    private FileEntry forbidden(PathKey key, String path) throws IOException {
        boolean isInside = opener.isInside(tree.toFile(path));
        return isInside
                ? answer(key, FileTree.Found.FORBIDDEN, Status.FORBIDDEN)
                : answer(key, FileTree.Found.MISSING, Status.NOT_FOUND).doubtful(true);
    }

    private FileEntry answer(PathKey key, FileTree.Found found, int status) {
        return new FileEntry(key, found, errors.of(status));
    }

    /**
     * What stat found but opening refused: names that became links, pipes and the like are not there for a client. All else is a failure of
     * this machine.
     */
    private FileEntry failure(PathKey key, IOException failure) {
        if (failure instanceof AccessDeniedException) {
            return answer(key, FileTree.Found.FORBIDDEN, Status.FORBIDDEN).doubtful(true);
        }
        if (FileFailures.isNothingThere(failure)) {
            LOG.log(Level.DEBUG, "not served: {0}", failure.toString());
            return answer(key, FileTree.Found.MISSING, Status.NOT_FOUND).doubtful(true);
        }
        warnings.tell(Level.WARNING, "reading " + UriText.encode(key.toString()) + " failed: " + failure);
        boolean isFull = failure instanceof OutOfDescriptorsException;
        int status = isFull ? Status.SERVICE_UNAVAILABLE : Status.INTERNAL_SERVER_ERROR;
        return answer(key, FileTree.Found.MISSING, status).notKept();
    }

    /**
     * Relative, so that it holds behind a proxy that serves this server's paths under others. It has no slash but the one at its end: no browser can
     * read it as the name of a host; nor as a scheme, if there is a colon in it.
     */
    private FileEntry redirect(PathKey key, FileTree.Found found) throws IOException {
        opener.check(Objects.requireNonNull(found.file()));
        String path = key.toString();
        String name = UriText.encode(path.substring(path.lastIndexOf('/') + 1));
        String location = (name.indexOf(':') < 0 ? "" : "./") + name + '/';
        return new FileEntry(key, found, redirectTo(location)).withLocation(location);
    }

    PreparedResponse redirectTo(String location) {
        ResponseHead head = new ResponseHead(Status.MOVED_PERMANENTLY, fields)
                .field("Location", location)
                .length(0);
        return PreparedResponse.onHeap(Status.MOVED_PERMANENTLY, head, new byte[0]);
    }

    /**
     * Only when the path leads to the same stamp after the file was read as before is it known that stamp and content belong
     * together. A file that is written to all the time is sent as it was when it was opened, and not kept.
     */
    private FileEntry loadFile(PathKey key, String path, FileTree.Found first) throws IOException {
        FileTree.Found found = first;
        for (int tries = 1; ; tries++) {
            FileEntry entry = loadOnce(key, found, tries == TRIES);
            FileTree.Found after = FileTree.Found.MISSING;
            boolean isDone = false;
            try {
                after = tree.find(path);
                isDone = entry != null && (tries == TRIES || after.equals(found));
            } finally {
                if (entry != null && !isDone) {
                    entry.free();
                }
            }
            if (entry != null && isDone) {
                boolean isSteady = after.equals(found);
                boolean isFresh = Objects.requireNonNull(found.stamp()).isFreshAt(wallClockMs.getAsLong());
                return isSteady ? entry.doubtful(isFresh) : entry.notKept();
            }
            if (after.kind() != FileTree.Kind.FILE) {
                return answer(key, after, Status.NOT_FOUND).notKept();
            }
            if (tries == TRIES) {
                return answer(key, after, Status.SERVICE_UNAVAILABLE).notKept();
            }
            found = after;
        }
    }

    /** Null if the file is another or shorter than its stamp says; the last time, if it becomes shorter while it is read. */
    private @Nullable FileEntry loadOnce(PathKey key, FileTree.Found found, boolean isLast) throws IOException {
        OpenFile file = opener.openFile(Objects.requireNonNull(found.file()));
        FileStamp looked = Objects.requireNonNull(found.stamp());
        FileStamp stamp = isLast ? looked.asOpened(file) : looked;
        FileEntry entry = null;
        try {
            if (stamp.isOf(file)) {
                boolean isInMemory = stamp.size() <= memoryBytesMax;
                entry = isInMemory ? inMemory(key, found, stamp, file) : open(key, found, stamp, file);
            }
            return entry;
        } finally {
            if (entry == null || entry.file() == null) {
                file.close();
            }
        }
    }

    private FileEntry open(PathKey key, FileTree.Found found, FileStamp stamp, OpenFile file) {
        Validators validators = validators(key, found, stamp, EntityTags.ofFile(stamp, codingOf(key)));
        ResponseHead head = fileHead(validators, stamp.size());
        FileEntry entry = new FileEntry(key, found, PreparedResponse.onHeap(Status.OK, head, new byte[0]))
                .withFile(
                        validators.conditions(),
                        notModified(validators),
                        validators.fields().cors())
                .withPartialHeads(partialHeads(validators, stamp.size()))
                .withOpenFile(file, stamp.size());
        return offered(entry, validators);
    }

    /** Null if the file has become shorter. Without memory it is sent like a large one, and not kept, so that whoever asks next tries again. */
    private @Nullable FileEntry inMemory(PathKey key, FileTree.Found found, FileStamp stamp, OpenFile file)
            throws IOException {
        Coding coding = codingOf(key);
        Validators untagged = validators(key, found, stamp, EntityTags.blank(coding));
        int headBytes = fileHead(untagged, stamp.size()).toBytes().length;
        int length = headBytes + (int) stamp.size();
        ByteBuf block = memory.take(length);
        if (block == null) {
            return open(key, found, stamp, file).notKept();
        }
        boolean isComplete = false;
        try {
            ByteBuffer bytes = block.nioBuffer(0, length).position(headBytes);
            while (bytes.hasRemaining() && file.read(bytes, bytes.position() - headBytes) >= 0) {
                // until it is full or the file ends
            }
            isComplete = !bytes.hasRemaining();
            if (!isComplete) {
                return null;
            }
            Validators validators =
                    untagged.withTag(EntityTags.ofContent(bytes.clear().position(headBytes), coding));
            ResponseHead head = fileHead(validators, stamp.size());
            bytes.clear().put(head.toBytes());
            assert bytes.position() == headBytes : "tags of one length";
            PreparedResponse response =
                    new PreparedResponse(Status.OK, bytes.clear().asReadOnlyBuffer(), head, headBytes);
            FileEntry entry = new FileEntry(key, found, response)
                    .withFile(
                            validators.conditions(),
                            notModified(validators),
                            validators.fields().cors())
                    .withPartialHeads(partialHeads(validators, stamp.size()))
                    .withBlock(block);
            return offered(entry, validators);
        } finally {
            if (!isComplete) {
                block.release();
            }
        }
    }

    private static FileEntry offered(FileEntry entry, Validators validators) {
        return validators.isPackable()
                ? entry.withPackedPath(FileTree.packed(entry.key().toString()).getBytes(StandardCharsets.UTF_8))
                : entry;
    }

    /**
     * Makes the gzip of a file that was found before.
     *
     * @param key what it is to be known under
     * @param plainPath of the file
     * @param found what was found there
     * @return an answer of 404 if it does not pay; null if the file has changed, or there is no memory
     * @throws IOException if it can't be read
     */
    @Nullable
    FileEntry pack(PathKey key, String plainPath, FileTree.Found found) throws IOException {
        FileStamp stamp = Objects.requireNonNull(found.stamp());
        byte[] content = new byte[(int) stamp.size()];
        if (!read(found, stamp, content) || !tree.find(plainPath).equals(found)) {
            return null;
        }
        byte[] body = gzip.pack(content);
        if (body == null) {
            return new FileEntry(key, found, errors.of(Status.NOT_FOUND));
        }
        String tag = EntityTags.ofContent(ByteBuffer.wrap(body), Coding.GZIP);
        Validators validators = validators(plainPath, found, stamp, Coding.GZIP, tag);
        ResponseHead head = fileHead(validators, body.length);
        byte[] headText = head.toBytes();
        int length = headText.length + body.length;
        ByteBuf block = memory.take(length);
        if (block == null) {
            return null;
        }
        ByteBuffer bytes = block.nioBuffer(0, length).put(headText).put(body).clear();
        return new FileEntry(
                        key, found, new PreparedResponse(Status.OK, bytes.asReadOnlyBuffer(), head, headText.length))
                .withFile(
                        validators.conditions(),
                        notModified(validators),
                        validators.fields().cors())
                .withPartialHeads(partialHeads(validators, body.length))
                .withBlock(block);
    }

    /** False if the file is another than was found, or has become shorter, or there is no memory. */
    private boolean read(FileTree.Found found, FileStamp stamp, byte[] content) throws IOException {
        ByteBuf block = memory.take(content.length);
        if (block == null) {
            return false;
        }
        try (OpenFile file = opener.openFile(Objects.requireNonNull(found.file()))) {
            if (!stamp.isOf(file)) {
                return false;
            }
            ByteBuffer bytes = block.nioBuffer(0, content.length);
            while (bytes.hasRemaining() && file.read(bytes, bytes.position()) >= 0) {
                // until it is full or the file ends
            }
            if (bytes.hasRemaining()) {
                return false;
            }
            bytes.flip().get(content);
            return true;
        } finally {
            block.release();
        }
    }

    /**
     * A file that says it was changed later than now was changed just now (RFC 9110 8.8.2.1): a second ago, so that the date is
     * not later than any Date it is sent with.
     */
    private Validators validators(PathKey key, FileTree.Found found, FileStamp stamp, String entityTag) {
        String path = key.toString();
        Coding coding = codingOf(key);
        int plainEnd = path.length()
                - (coding == null ? 0 : FileTree.variant("", coding).length());
        return validators(path.substring(0, plainEnd), found, stamp, coding, entityTag);
    }

    private static @Nullable Coding codingOf(PathKey key) {
        return FileTree.codingOf(key.toString());
    }

    private Validators validators(
            String plainPath, FileTree.Found found, FileStamp stamp, @Nullable Coding coding, String entityTag) {
        long changedS = Math.floorDiv(stamp.modifiedNs(), TimeUnit.SECONDS.toNanos(1));
        long nowS = TimeUnit.MILLISECONDS.toSeconds(wallClockMs.getAsLong());
        boolean isTrue = changedS <= nowS;
        boolean isDated = changedS >= DATES_FROM_S;
        HeaderRules.Fields fields = headerRules.of(plainPath);
        String name = typeName(found, coding);
        TypeRule rule = typeRule(plainPath, name);
        String type = rule == null ? types.of(name) : rule.type();
        String encoding = coding != null ? coding.toString() : rule != null ? rule.encoding() : "";
        boolean isPackable = encoding.isEmpty()
                && (found.codings() & Coding.GZIP.bit()) == 0
                && gzip.fits(stamp.size())
                && MimeTypes.isCompressible(type);
        String vary = coding != null || found.codings() != 0 || isPackable ? "Accept-Encoding" : "";
        if (fallbackFiles.contains(plainPath)) {
            vary += vary.isEmpty() ? "Accept" : ", Accept"; // with another Accept another path leads to nothing
        }
        return new Validators(
                entityTag,
                isTrue ? changedS : nowS - 1,
                isTrue,
                isDated,
                fields,
                fields.vary(vary),
                encoding,
                type,
                isPackable);
    }

    /** The last that matches; null if none does. */
    private @Nullable TypeRule typeRule(String path, String fileName) {
        TypeRule last = null;
        for (TypeRule each : rules.types()) {
            last = each.matches(path, fileName) ? each : last;
        }
        return last;
    }

    /** What tells one state of a file from another, and the fields that go with it, in a 304 too. */
    private record Validators(
            String entityTag,
            long lastModifiedS,
            boolean isDateTrue,
            boolean isDated,
            HeaderRules.Fields fields,
            String vary,
            String encoding,
            String type,
            boolean isPackable) {
        Validators withTag(String tag) {
            return new Validators(tag, lastModifiedS, isDateTrue, isDated, fields, vary, encoding, type, isPackable);
        }

        String lastModified() {
            return HttpDate.format(lastModifiedS);
        }

        Conditions conditions() {
            return isDated ? new Conditions(entityTag, lastModifiedS, isDateTrue) : Conditions.undated(entityTag);
        }

        ResponseHead addTo(ResponseHead head) {
            if (isDated) {
                head.field("Last-Modified", lastModified());
            }
            head.field("ETag", entityTag);
            if (!encoding.isEmpty()) {
                head.field("Content-Encoding", encoding);
            }
            if (!vary.isEmpty()) {
                head.field("Vary", vary);
            }
            return fields.addTo(head);
        }
    }

    /** A neighbour in a coding has the type of the file itself. */
    private static String typeName(FileTree.Found found, @Nullable Coding coding) {
        String name = Objects.requireNonNull(found.file()).toString();
        return coding != null && found.isNeighbour()
                ? name.substring(0, name.length() - coding.suffix().length())
                : name;
    }

    private ResponseHead fileHead(Validators validators, long size) {
        ResponseHead head = new ResponseHead(Status.OK, fields)
                .field("Content-Type", validators.type())
                .length(size)
                .field("Accept-Ranges", "bytes");
        validators.addTo(head);
        return rules.isNosniff() ? head.field("X-Content-Type-Options", "nosniff") : head;
    }

    private PartialHeads partialHeads(Validators validators, long size) {
        return new PartialHeads(fields, validators.type(), validators::addTo, rules.isNosniff(), size);
    }

    private PreparedResponse notModified(Validators validators) {
        ResponseHead head = validators.addTo(new ResponseHead(Status.NOT_MODIFIED, fields));
        return PreparedResponse.onHeap(Status.NOT_MODIFIED, head, new byte[0]);
    }
}
