// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.sftp;

/** Extensions of the protocol, as OpenSSH's PROTOCOL file describes them. */
final class Extensions {
    static final String POSIX_RENAME = "posix-rename@openssh.com";
    static final String STATVFS = "statvfs@openssh.com";
    static final String FSTATVFS = "fstatvfs@openssh.com";
    static final String HARDLINK = "hardlink@openssh.com";
    static final String FSYNC = "fsync@openssh.com";
    static final String LSETSTAT = "lsetstat@openssh.com";
    static final String LIMITS = "limits@openssh.com";
    static final String EXPAND_PATH = "expand-path@openssh.com";
    static final String COPY_DATA = "copy-data";

    /** Names and versions, as the server's first packet lists them. */
    static final String[][] ALL = {
        {POSIX_RENAME, "1"},
        {STATVFS, "2"},
        {FSTATVFS, "2"},
        {HARDLINK, "1"},
        {FSYNC, "1"},
        {LSETSTAT, "1"},
        {LIMITS, "1"},
        {EXPAND_PATH, "1"},
        {COPY_DATA, "1"},
    };

    private Extensions() {}
}
