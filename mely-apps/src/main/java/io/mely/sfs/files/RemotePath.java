// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.files;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;

/**
 * A path as a client names it, below the root, which is "/": absolute, without ".", ".." and empty names. A relative one begins at the root.
 * ".." is resolved by the text, so that "a/.." is the root whatever "a" is.
 *
 * <p>Names are bytes. What is not UTF-8 is a name like any other, and names that only look alike are different files, as for the kernel.
 *
 * <p><b>Threads.</b> Any; immutable.
 */
public final class RemotePath {
    private static final byte SLASH = '/';

    /** Ends a name for the kernel. */
    private static final byte[] HERE = {'.', 0};

    /** The folder that holds everything. */
    public static final RemotePath ROOT = new RemotePath(new byte[] {SLASH});

    /** Begins with a slash; ends with none, but for the root. */
    private final byte[] bytes;

    private RemotePath(byte[] bytes) {
        this.bytes = bytes;
    }

    /**
     * Reads a path.
     *
     * @param text as the client sent it; empty is the root
     * @return the path
     * @throws FileFailure if it has a zero byte, at which the kernel would cut it off
     */
    public static RemotePath of(byte[] text) throws FileFailure {
        Deque<int[]> names = new ArrayDeque<>(); // start and end of each
        int length = 0;
        int start = 0;
        for (int i = 0; i <= text.length; i++) {
            if (i < text.length && text[i] == 0) {
                throw new FileFailure(Errno.EINVAL, "a path with a zero byte");
            }
            if (i < text.length && text[i] != SLASH) {
                continue;
            }
            int size = i - start;
            if (size == 2 && text[start] == '.' && text[start + 1] == '.') {
                int[] last = names.pollLast();
                length -= last == null ? 0 : last[1] - last[0] + 1;
            } else if (size > 1 || (size == 1 && text[start] != '.')) {
                names.add(new int[] {start, i});
                length += size + 1;
            }
            start = i + 1;
        }
        if (names.isEmpty()) {
            return ROOT;
        }
        byte[] bytes = new byte[length];
        int at = 0;
        for (int[] name : names) {
            bytes[at++] = SLASH;
            System.arraycopy(text, name[0], bytes, at, name[1] - name[0]);
            at += name[1] - name[0];
        }
        assert at == length;
        return new RemotePath(bytes);
    }

    /**
     * Reads a path.
     *
     * @param text any
     * @return the path
     * @throws FileFailure as {@link #of(byte[])}
     */
    public static RemotePath of(String text) throws FileFailure {
        return of(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Whether it is the folder that holds everything. */
    public boolean isRoot() {
        return bytes.length == 1;
    }

    /**
     * The whole path.
     *
     * @return a copy, which begins with a slash
     */
    public byte[] bytes() {
        return bytes.clone();
    }

    /** The path below the root, for the kernel. */
    byte[] below() {
        if (isRoot()) {
            return HERE.clone();
        }
        byte[] below = new byte[bytes.length];
        System.arraycopy(bytes, 1, below, 0, bytes.length - 1);
        return below;
    }

    /** Whether it is another path, or leads through that. */
    public boolean isAtOrBelow(RemotePath other) {
        byte[] above = other.bytes;
        return other.isRoot()
                || (bytes.length >= above.length
                        && Arrays.equals(bytes, 0, above.length, above, 0, above.length)
                        && (bytes.length == above.length || bytes[above.length] == SLASH));
    }

    /** The folder that its last name is in. */
    RemotePath parent() {
        int cut = lastSlash();
        return cut == 0 ? ROOT : new RemotePath(Arrays.copyOf(bytes, cut));
    }

    /** Its last name, for the kernel; the root has none. */
    byte[] name() {
        assert !isRoot();
        return Arrays.copyOf(Arrays.copyOfRange(bytes, lastSlash() + 1, bytes.length), bytes.length - lastSlash());
    }

    /** A name in this folder. */
    RemotePath child(byte[] name) {
        int keep = isRoot() ? 0 : bytes.length;
        byte[] path = Arrays.copyOf(bytes, keep + 1 + name.length);
        path[keep] = SLASH;
        System.arraycopy(name, 0, path, keep + 1, name.length);
        return new RemotePath(path);
    }

    private int lastSlash() {
        int at = bytes.length - 1;
        while (bytes[at] != SLASH) {
            at--;
        }
        return at;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof RemotePath path && Arrays.equals(bytes, path.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    /** For messages; bytes that are no UTF-8 are shown by a replacement letter. */
    @Override
    public String toString() {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
