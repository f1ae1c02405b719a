// SPDX-License-Identifier: Apache-2.0
package io.mely.net;

import com.sun.jna.Native;
import com.sun.jna.Platform;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/** What tests do to the process's descriptors. Linux only. */
final class Descriptors {
    private static final int RLIMIT_NOFILE = 7;

    static {
        Native.register(Descriptors.class, Platform.C_LIBRARY_NAME);
    }

    private Descriptors() {}

    private static native int getrlimit(int resource, long[] softAndHard);

    private static native int setrlimit(int resource, long[] softAndHard);

    /** How many are open, but for those that the JVM opens at any moment: jars, and the kernel's figures of the process and its cgroup. */
    static int open() {
        String[] names = new File("/proc/self/fd").list();
        if (names == null) {
            throw new IllegalStateException("no /proc/self/fd");
        }
        return (int) Arrays.stream(names).filter(Descriptors::isOurs).count();
    }

    private static boolean isOurs(String descriptor) {
        try {
            String target =
                    Files.readSymbolicLink(Path.of("/proc/self/fd", descriptor)).toString();
            return !target.endsWith(".jar") && !target.startsWith("/proc/") && !target.startsWith("/sys/");
        } catch (IOException e) {
            return false; // closed since
        }
    }

    /** Lets nothing be opened while the action runs; what is open stays so. */
    static void exhausted(Runnable action) {
        long[] before = new long[2];
        check(getrlimit(RLIMIT_NOFILE, before));
        action.run(); // so that its classes are loaded
        check(setrlimit(RLIMIT_NOFILE, new long[] {3, before[1]}));
        try {
            action.run();
        } finally {
            check(setrlimit(RLIMIT_NOFILE, before));
        }
    }

    private static void check(int result) {
        if (result != 0) {
            throw new IllegalStateException("rlimit: errno=" + Native.getLastError());
        }
    }
}
