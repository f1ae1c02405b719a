// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.files;

/**
 * What a file is opened for.
 *
 * @param isRead to be read
 * @param isWritten to be written
 * @param isAppended each write goes to the end, wherever the client says it should
 * @param isMade if it is not there
 * @param isEmptied before it is written
 * @param isNew it must not be there
 */
public record OpenHow(
        boolean isRead, boolean isWritten, boolean isAppended, boolean isMade, boolean isEmptied, boolean isNew) {
    int flags() {
        int access = isWritten ? (isRead ? Kernel.O_RDWR : Kernel.O_WRONLY) : Kernel.O_RDONLY;
        return access
                | (isAppended ? Kernel.O_APPEND : 0)
                | (isMade ? Kernel.O_CREAT : 0)
                | (isNew ? Kernel.O_CREAT | Kernel.O_EXCL : 0)
                | (isEmptied ? Kernel.O_TRUNC : 0);
    }
}
