// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.files;

/**
 * How what was written gets onto the disk; a test has one that fails.
 *
 * <p><b>Threads.</b> Any. <b>Costs.</b> Each call waits for the disk. <b>Errors.</b> 0, or the number of the error.
 */
interface Disk {
    /** The kernel's. */
    Disk KERNEL = new Disk() {
        @Override
        public int syncFile(int fd) {
            return Kernel.fdatasync(fd) == 0 ? 0 : Kernel.errno();
        }

        @Override
        public int syncFolder(int fd) {
            return Kernel.fsync(fd) == 0 ? 0 : Kernel.errno();
        }
    };

    /** Waits for the bytes of a file, and for its length. */
    int syncFile(int fd);

    /** Waits for the names in a folder. */
    int syncFolder(int fd);
}
