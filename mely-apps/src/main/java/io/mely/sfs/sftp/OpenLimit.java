// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.sftp;

import io.mely.sfs.files.Errno;
import io.mely.sfs.files.FileFailure;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * How many files and folders one user has open, in all conversations of all connections. The root of each conversation is one.
 *
 * <p><b>Threads.</b> Any.
 */
public final class OpenLimit {
    private final int max;
    private final AtomicInteger open = new AtomicInteger();

    /**
     * Begins with none.
     *
     * @param max most at once; 0 = unlimited
     */
    public OpenLimit(int max) {
        this.max = max;
    }

    /** Before one is opened. */
    void take() throws FileFailure {
        if (open.incrementAndGet() > max && max > 0) {
            open.decrementAndGet();
            throw new FileFailure(Errno.EMFILE, "too many open files and folders of the user, at most " + max);
        }
    }

    /** One is closed, or was not opened after all. */
    void giveBack() {
        int left = open.decrementAndGet();
        assert left >= 0 : left;
    }

    /** Whether no more may be open, once as many more are. */
    boolean isFull(int more) {
        return max > 0 && open.get() + more >= max;
    }

    /** Those of now. */
    int size() {
        return open.get();
    }
}
