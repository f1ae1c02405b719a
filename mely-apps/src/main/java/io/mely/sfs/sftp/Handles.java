// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.sftp;

import io.mely.sfs.files.Errno;
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
 * <p><b>Threads.</b> Whoever runs the client's request. <b>Bounds.</b> As many as it is made for, and as its user may have in all.
 */
final class Handles {
    private static final int HANDLE_BYTES = 8;

    private final int max;
    private final OpenLimit ofUser;
    private final List<@Nullable Open> places = new ArrayList<>();
    private final List<Integer> free = new ArrayList<>();
    private int uses;

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
        long readBytes;
        long writtenBytes;

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

    int size() {
        return places.size() - free.size();
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
        if (size() >= max) {
            throw new FileFailure(Errno.EMFILE, "too many open handles, at most " + max);
        }
        ofUser.take();
        boolean isOpen = false;
        try {
            T opened = opener.open();
            isOpen = true;
            return opened;
        } finally {
            if (!isOpen) {
                ofUser.giveBack();
            }
        }
    }

    private Open add(RemotePath path, @Nullable RegularFile file, @Nullable OpenFolder folder) {
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
        if (handle.remaining() == HANDLE_BYTES) {
            int place = handle.getInt();
            int use = handle.getInt();
            Open open = place >= 0 && place < places.size() ? places.get(place) : null;
            if (open != null && open.use == use) {
                return open;
            }
        }
        throw new FileFailure(Errno.EBADF, "no such handle");
    }

    void remove(Open open) {
        places.set(open.place, null);
        free.add(open.place);
        ofUser.giveBack();
    }

    void removeAll(Consumer<Open> action) {
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
