// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.sftp;

import io.mely.sfs.files.Errno;
import io.mely.sfs.files.FileCopy;
import io.mely.sfs.files.FileFailure;
import io.mely.sfs.files.OpenFolder;
import io.mely.sfs.files.RegularFile;
import io.mely.sfs.files.RemotePath;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The open files and folders of one client.
 *
 * <p>A handle is a place and a count of how often that place was used, so that a handle that was closed stays wrong.
 *
 * <p><b>Threads.</b> Any. What a handle stands for: one at a time, as requests about one handle run in order. <b>Bounds.</b> As many as it is made for, and as its user may have in all.
 */
final class Handles {
    private static final int HANDLE_BYTES = 8;

    private final int max;
    private final OpenLimit ofUser;
    private final List<@Nullable Open> places = new ArrayList<>(); // guarded by this
    private final List<Integer> free = new ArrayList<>(); // guarded by this
    private int uses; // guarded by this

    /** To be opened now. Guarded by this. */
    private int reserved;

    Handles(int max, OpenLimit ofUser) {
        this.max = max;
        this.ofUser = ofUser;
    }

    /** What a handle stands for. */
    static final class Open {
        final RemotePath path;
        final @Nullable RegularFile file;
        final @Nullable OpenFolder folder;
        private final int place;
        private final int use;
        private boolean isMoved; // guarded by the handles
        long readBytes;
        long writtenBytes;

        /** A copy to it that is under way; its request comes again until it is done. */
        @Nullable
        FileCopy copying;

        private Open(RemotePath path, @Nullable RegularFile file, @Nullable OpenFolder folder, int place, int use) {
            this.path = path;
            this.file = file;
            this.folder = folder;
            this.place = place;
            this.use = use;
        }

        byte[] handle() {
            return ByteBuffer.allocate(HANDLE_BYTES).putInt(place).putInt(use).array();
        }

        RegularFile regular() throws FileFailure {
            RegularFile regular = file;
            if (regular == null) {
                throw new FileFailure(Errno.EISDIR, "is a folder");
            }
            return regular;
        }

        void close() {
            if (file != null) {
                file.close();
            }
            if (folder != null) {
                folder.close();
            }
        }
    }

    synchronized int size() {
        return places.size() - free.size();
    }

    /** Whether no more may be open, once as many more are. */
    boolean isFull(int more) {
        return size() + more >= max || ofUser.isFull(more);
    }

    /** Opens something. */
    @FunctionalInterface
    interface Opener<T> {
        T open() throws FileFailure;
    }

    Open addFile(RemotePath path, Opener<RegularFile> opener) throws FileFailure {
        return add(path, openIfThereIsRoom(opener), null);
    }

    Open addFolder(RemotePath path, Opener<OpenFolder> opener) throws FileFailure {
        return add(path, null, openIfThereIsRoom(opener));
    }

    private <T> T openIfThereIsRoom(Opener<T> opener) throws FileFailure {
        reserve();
        boolean isOpen = false;
        try {
            ofUser.take();
            try {
                T opened = opener.open();
                isOpen = true;
                return opened;
            } finally {
                if (!isOpen) {
                    ofUser.giveBack();
                }
            }
        } finally {
            if (!isOpen) {
                unreserve();
            }
        }
    }

    private synchronized void reserve() throws FileFailure {
        if (size() + reserved >= max) {
            throw new FileFailure(Errno.EMFILE, "too many open handles, at most " + max);
        }
        reserved++;
    }

    private synchronized void unreserve() {
        reserved--;
    }

    private synchronized Open add(RemotePath path, @Nullable RegularFile file, @Nullable OpenFolder folder) {
        reserved--;
        int place = free.isEmpty() ? places.size() : free.remove(free.size() - 1);
        Open open = new Open(path, file, folder, place, ++uses);
        if (place == places.size()) {
            places.add(open);
        } else {
            places.set(place, open);
        }
        return open;
    }

    Open find(ByteBuffer handle) throws FileFailure {
        Open open = peek(handle);
        if (open == null) {
            throw new FileFailure(Errno.EBADF, "no such handle");
        }
        return open;
    }

    /** What a handle stands for; null if it stands for nothing. Its position stays. */
    synchronized @Nullable Open peek(ByteBuffer handle) {
        if (handle.remaining() != HANDLE_BYTES) {
            return null;
        }
        int place = handle.getInt(handle.position());
        int use = handle.getInt(handle.position() + Integer.BYTES);
        Open open = place >= 0 && place < places.size() ? places.get(place) : null;
        return open != null && open.use == use ? open : null;
    }

    /** A handle as a number; 0 is none. What has another length stands for nothing, whatever it is. */
    static long number(ByteBuffer handle) {
        return handle.remaining() == HANDLE_BYTES ? handle.getLong(handle.position()) : 0;
    }

    /** The path by which requests may meet what a handle stands for; null if it stands for nothing. */
    synchronized @Nullable RemotePath pathOf(ByteBuffer handle) {
        Open open = peek(handle);
        return open == null ? null : open.isMoved ? RemotePath.ROOT : open.path;
    }

    /** What is at a path, or below it, is to be moved. */
    synchronized void move(RemotePath from) {
        for (Open open : places) {
            if (open != null && open.path.isAtOrBelow(from)) {
                open.isMoved = true;
            }
        }
    }

    synchronized void remove(Open open) {
        places.set(open.place, null);
        free.add(open.place);
        ofUser.giveBack();
    }

    synchronized void removeAll(Consumer<Open> action) {
        for (Open open : places) {
            if (open != null) {
                action.accept(open);
                ofUser.giveBack();
            }
        }
        places.clear();
        free.clear();
    }
}
