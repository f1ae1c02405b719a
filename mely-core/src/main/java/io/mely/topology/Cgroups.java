// SPDX-License-Identifier: Apache-2.0
package io.mely.topology;

import io.mely.topology.Texts.UnreadableException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds the control groups of this process as folders: its own and every ancestor it can see, for a limit on any of
 * them counts.
 *
 * <p>{@code /proc/self/cgroup} names the process's group in each hierarchy, {@code /proc/self/mountinfo} says where a
 * hierarchy (or a part of one) is mounted. In a container the two may disagree: the name may be that of the host, or
 * lead out of the mount ({@code /../..}). Then the mount point itself is the nearest group that can be seen, and is
 * taken.
 *
 * <p><b>Threads.</b> Any; immutable. <b>Errors.</b> {@link UnreadableException} when one of the two files exists but
 * cannot be read; without them (not Linux, no cgroups) there are no folders.
 */
final class Cgroups {
    private static final String CPU = "cpu"; // the controller

    /** A hierarchy as the process sees it: version 2 has no controllers of its own in this list and serves all. */
    private record Group(Set<String> controllers, boolean isVersion2, String path) {}

    /** A mounted hierarchy, or the part of it below {@code root}. */
    private record Mount(Set<String> options, boolean isVersion2, String root, Path point) {}

    private final List<Group> groups;
    private final List<Mount> mounts;

    private Cgroups(List<Group> groups, List<Mount> mounts) {
        this.groups = groups;
        this.mounts = mounts;
    }

    /**
     * Reads the two files.
     *
     * @param fsRoot the root of the file system; in tests a folder with {@code proc/self} and the mount points in it
     */
    static Cgroups read(Path fsRoot) throws UnreadableException {
        Path self = fsRoot.resolve("proc/self");
        List<Group> groups = new ArrayList<>();
        List<Mount> mounts = new ArrayList<>();
        if (Files.exists(self.resolve("cgroup")) && Files.exists(self.resolve("mountinfo"))) {
            for (String line : Texts.value(self.resolve("cgroup")).split("\n", -1)) {
                Group group = parseGroup(line);
                if (group != null) {
                    groups.add(group);
                }
            }
            for (String line : Texts.read(self.resolve("mountinfo"), Texts.MOUNTS_BYTES_MAX)
                    .split("\n", -1)) {
                Mount mount = parseMount(line, fsRoot);
                if (mount != null) {
                    mounts.add(mount);
                }
            }
        }
        return new Cgroups(groups, mounts);
    }

    /** {@code 4:cpu,cpuacct:/docker/1f} or, for version 2, {@code 0::/system.slice}; null for anything else. */
    private static @Nullable Group parseGroup(String line) {
        String[] parts = line.split(":", 3); // a path may contain colons
        if (parts.length < 3 || !parts[2].startsWith("/")) {
            return null;
        }
        return new Group(names(parts[1]), parts[0].equals("0") && parts[1].isEmpty(), parts[2]);
    }

    /**
     * {@code 31 23 0:26 /root /mount/point rw,nosuid shared:9 - cgroup2 cgroup2 rw}: the count of fields before the
     * dash varies. Null for other file systems and for lines that are none.
     */
    private static @Nullable Mount parseMount(String line, Path fsRoot) {
        int dash = line.indexOf(" - ");
        String[] fields = line.split(" ", -1);
        String[] tail = dash < 0 ? new String[0] : line.substring(dash + 3).split(" ", -1);
        if (fields.length < 6 || tail.length < 3 || !(tail[0].equals("cgroup") || tail[0].equals("cgroup2"))) {
            return null;
        }
        try {
            Path point = fsRoot.resolve(relative(unescaped(fields[4]))).normalize();
            return new Mount(names(tail[2]), tail[0].equals("cgroup2"), unescaped(fields[3]), point);
        } catch (InvalidPathException e) {
            return null; // a name this platform has no path for cannot be opened either
        }
    }

    private static Set<String> names(String list) {
        return Set.copyOf(Arrays.asList(list.split(",", -1)));
    }

    /** Undoes the kernel's octal escapes of space, tab, newline and backslash: {@code \040}. */
    static String unescaped(String text) {
        StringBuilder plain = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            boolean isEscape = text.charAt(i) == '\\'
                    && i + 4 <= text.length()
                    && text.substring(i + 1, i + 4).matches("[0-3][0-7]{2}");
            if (isEscape) {
                plain.append((char) Integer.parseInt(text.substring(i + 1, i + 4), 8));
                i += 3;
            } else {
                plain.append(text.charAt(i));
            }
        }
        return plain.toString();
    }

    private static String relative(String path) {
        int start = 0;
        while (start < path.length() && path.charAt(start) == '/') {
            start++;
        }
        return path.substring(start);
    }

    /**
     * The folders that may limit this process's CPU time, in version 1 and version 2 hierarchies.
     *
     * @return per hierarchy the process's own group first, then its ancestors up to the mount point; perhaps empty
     */
    List<Path> cpuFolders() {
        List<Path> folders = new ArrayList<>();
        for (Group group : groups) {
            if (group.isVersion2() || group.controllers().contains(CPU)) {
                cpuFoldersOf(group, folders);
            }
        }
        return folders;
    }

    private void cpuFoldersOf(Group group, List<Path> folders) {
        @Nullable Mount elsewhere = null;
        for (Mount mount : mounts) {
            boolean isSameHierarchy = group.isVersion2() == mount.isVersion2()
                    && (group.isVersion2() || mount.options().contains(CPU));
            if (!isSameHierarchy) {
                continue;
            }
            String below = belowMount(group.path(), mount.root());
            if (below != null) {
                climb(mount.point(), below, folders);
                return;
            }
            elsewhere = elsewhere == null ? mount : elsewhere;
        }
        if (elsewhere != null) {
            folders.add(elsewhere.point());
        }
    }

    /** The part of a group's path that is below the mounted root; null when the group is not in this mount. */
    private static @Nullable String belowMount(String path, String root) {
        if (List.of(path.split("/", -1)).contains("..")) {
            return null; // the group is above the root of our cgroup namespace
        }
        if (root.equals("/")) {
            return path;
        }
        return path.equals(root) || path.startsWith(root + "/") ? path.substring(root.length()) : null;
    }

    private static void climb(Path point, String below, List<Path> folders) {
        Path own = point;
        try {
            own = point.resolve(relative(below)).normalize();
        } catch (InvalidPathException e) {
            // As for a group that is not there: the mount point is the nearest we can see.
            folders.add(point);
            return;
        }
        if (!Files.isDirectory(own) || !own.startsWith(point)) {
            own = point;
        }
        // Ends at the mount point: each turn makes the path shorter.
        for (@Nullable Path folder = own; folder != null && folder.startsWith(point); folder = folder.getParent()) {
            folders.add(folder);
        }
    }
}
