// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.sftp;

/** Numbers of the protocol. */
final class Sftp {
    static final int VERSION_NUMBER = 3;

    static final int INIT = 1;
    static final int VERSION = 2;
    static final int OPEN = 3;
    static final int CLOSE = 4;
    static final int READ = 5;
    static final int WRITE = 6;
    static final int LSTAT = 7;
    static final int FSTAT = 8;
    static final int SETSTAT = 9;
    static final int FSETSTAT = 10;
    static final int OPENDIR = 11;
    static final int READDIR = 12;
    static final int REMOVE = 13;
    static final int MKDIR = 14;
    static final int RMDIR = 15;
    static final int REALPATH = 16;
    static final int STAT = 17;
    static final int RENAME = 18;
    static final int READLINK = 19;
    static final int SYMLINK = 20;
    static final int STATUS = 101;
    static final int HANDLE = 102;
    static final int DATA = 103;
    static final int NAME = 104;
    static final int ATTRS = 105;
    static final int EXTENDED = 200;
    static final int EXTENDED_REPLY = 201;

    static final int OK = 0;
    static final int END_OF_FILE = 1;
    static final int NO_SUCH_FILE = 2;
    static final int PERMISSION_DENIED = 3;
    static final int FAILURE = 4;
    static final int BAD_MESSAGE = 5;
    static final int OP_UNSUPPORTED = 8;

    static final int OPEN_READ = 1;
    static final int OPEN_WRITE = 2;
    static final int OPEN_APPEND = 4;
    static final int OPEN_CREATE = 8;
    static final int OPEN_TRUNCATE = 16;
    static final int OPEN_EXCLUSIVE = 32;

    static final int HAS_SIZE = 1;
    static final int HAS_OWNER = 2;
    static final int HAS_PERMISSIONS = 4;
    static final int HAS_TIMES = 8;
    static final int HAS_EXTENDED = 0x80000000;

    /** Longest packet without its length, as of OpenSSH. */
    static final int PACKET_BYTES_MAX = 256 << 10;

    /** Most bytes of a file in one packet, which leaves OpenSSH's 1 KB for the rest of it. */
    static final int DATA_BYTES_MAX = PACKET_BYTES_MAX - 1024;

    /** Before the bytes of a file in a reply: length, type, request number, length of the data. */
    static final int DATA_HEAD_BYTES = 13;

    private Sftp() {}
}
