// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.files;

import io.mely.sws.http.ErrorPage;
import io.mely.sws.http.ErrorResponses;
import io.mely.sws.http.PreparedResponse;
import io.mely.sws.http.ServerFields;
import io.mely.sws.limits.WarningThrottle;
import java.io.IOException;
import java.io.InputStream;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A file that is sent with the answers of one status, as it is on the disk: looked at again when it is due, like any file. While it can't be read there is no page, and the
 * built-in one is sent.
 *
 * <p><b>Threads.</b> Any. <b>Costs.</b> One stat an interval, by one thread; the file is read when it has changed. <b>Bounds.</b> {@link ErrorPage#BYTES_MAX} of native memory.
 */
public final class ErrorPageFile {
    private static final System.Logger LOG = System.getLogger(ErrorPageFile.class.getName());
    private static final WarningThrottle WARNINGS = new WarningThrottle(LOG, System::currentTimeMillis);

    private final ErrorPage page;
    private final Path file;
    private final ServerFields fields;
    private final boolean isAcceptAsked;
    private final long checkIntervalNs;
    private final AtomicLong checkedNs;
    private volatile @Nullable State state;

    /**
     * A page that was read.
     *
     * @param head the answer without its body, whose length it says
     * @param body native; to be read through duplicates
     */
    public record Page(PreparedResponse head, ByteBuffer body) {}

    private record State(FileStamp stamp, @Nullable Page page) {}

    /**
     * Reads it a first time, if it is there.
     *
     * @param page which file, for which status
     * @param root the folder that a relative path begins at
     * @param fields what stands in every response
     * @param isAcceptAsked whether another Accept may get a file in the place of a 404
     * @param checkIntervalNs longest time without a look at the disk
     * @param nowNs the runtime's clock
     */
    public ErrorPageFile(
            ErrorPage page, Path root, ServerFields fields, boolean isAcceptAsked, long checkIntervalNs, long nowNs) {
        this.page = page;
        file = root.resolve(page.file());
        this.fields = fields;
        this.isAcceptAsked = isAcceptAsked;
        this.checkIntervalNs = checkIntervalNs;
        checkedNs = new AtomicLong(nowNs);
        look();
    }

    /**
     * The page as it is now.
     *
     * @param nowNs the runtime's clock
     * @return null if there is none that can be sent
     */
    public @Nullable Page page(long nowNs) {
        long checked = checkedNs.get();
        if (nowNs - checked >= checkIntervalNs && checkedNs.compareAndSet(checked, nowNs)) {
            look();
        }
        State now = state;
        return now == null ? null : now.page();
    }

    private void look() {
        try {
            FileStamp stamp = FileStamp.of(file);
            State before = state;
            if (before == null || !before.stamp().equals(stamp) || stamp.isFreshAt(System.currentTimeMillis())) {
                state = new State(stamp, read(stamp));
            }
        } catch (IOException e) {
            state = null;
            WARNINGS.tell(Level.WARNING, "error page for " + page.status() + ", the built-in one is sent: " + e);
        }
    }

    private Page read(FileStamp stamp) throws IOException {
        if (stamp.kind() != FileStamp.Kind.FILE) {
            throw new IOException(file + ": no regular file"); // opening a pipe would wait
        }
        try (InputStream in = Files.newInputStream(file)) {
            byte[] body = in.readNBytes(ErrorPage.BYTES_MAX + 1);
            if (body.length > ErrorPage.BYTES_MAX) {
                throw new IOException(file + ": longer than " + ErrorPage.BYTES_MAX + " bytes");
            }
            PreparedResponse head = ErrorResponses.head(
                    page.status(), fields, MimeTypes.bundled().of(file.toString()), body.length, isAcceptAsked);
            return new Page(
                    head,
                    ByteBuffer.allocateDirect(body.length).put(body).flip().asReadOnlyBuffer());
        }
    }
}
