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
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Finds the control groups of this process as folders: its own and every ancestor it can see, for a limit on any of
 * them counts.
 *
 * <p>{@code /proc/self/cgroup} names the process's group in each hierarchy, {@code /proc/self/mountinfo} says where a
 * hierarchy (or a part of one) is mounted. In a container the two may disagree: the name may be that of the host, or
 * lead out of the mount ({@code /../..}). Then the mount point itself is the nearest group that can be seen, and is
 * taken.
 */
final class Cgroups {
    private static final String CPU = "cpu"; // the controller
    private static final Pattern ESCAPE = Pattern.compile("\\\\([0-3][0-7]{2})");

    /** A hierarchy as the process sees it: version 2 has no controllers of its own in this list and serves all. */
    private record Group(Set<String> controllers, boolean isVersion2, String path) {}

    /** A mounted hierarchy, or the part of it below {@code root}. */
    private record Mount(Set<String> options, boolean isVersion2, String root, Path point) {}

    private final List<Group> groups = new ArrayList<>();
    private final List<Mount> mounts = new ArrayList<>();

    /** Reads the two files; {@code fsRoot} is {@code /}, in tests a folder. Without them (not Linux) there are no groups. */
    Cgroups(Path fsRoot) throws UnreadableException {
        Path self = fsRoot.resolve("proc/self");
        if (Files.exists(self.resolve("cgroup")) && Files.exists(self.resolve("mountinfo"))) {
            for (String line : Texts.value(self.resolve("cgroup")).split("\n", -1)) {
                addGroup(line);
            }
            for (String line : Texts.read(self.resolve("mountinfo"), Texts.MOUNTS_BYTES_MAX)
                    .split("\n", -1)) {
                addMount(line, fsRoot);
            }
        }
    }

    /** {@code 4:cpu,cpuacct:/docker/1f} or, for version 2, {@code 0::/system.slice}; not anything else. */
    private void addGroup(String line) {
        String[] parts = line.split(":", 3); // a path may contain colons
        if (parts.length == 3 && parts[2].startsWith("/")) {
            groups.add(new Group(names(parts[1]), parts[0].equals("0") && parts[1].isEmpty(), parts[2]));
        }
    }

    /**
     * {@code 31 23 0:26 /root /mount/point rw,nosuid shared:9 - cgroup2 cgroup2 rw}: the count of fields before the
     * dash varies. Not other file systems, nor lines that are none.
     */
    private void addMount(String line, Path fsRoot) {
        int dash = line.indexOf(" - ");
        String[] fields = line.split(" ", -1);
        String[] tail = dash < 0 ? new String[0] : line.substring(dash + 3).split(" ", -1);
        if (fields.length < 6 || tail.length < 3 || !(tail[0].equals("cgroup") || tail[0].equals("cgroup2"))) {
            return;
        }
        try {
            Path point = fsRoot.resolve(relative(unescaped(fields[4]))).normalize();
            mounts.add(new Mount(names(tail[2]), tail[0].equals("cgroup2"), unescaped(fields[3]), point));
        } catch (InvalidPathException e) {
            return; // a name this platform has no path for cannot be opened either
        }
    }

    private static Set<String> names(String list) {
        return Set.copyOf(Arrays.asList(list.split(",", -1)));
    }

    /** Undoes the kernel's octal escapes of space, tab, newline and backslash: {@code \040}. */
    static String unescaped(String text) {
        return ESCAPE.matcher(text)
                .replaceAll(
                        escape -> Matcher.quoteReplacement(Character.toString(Integer.parseInt(escape.group(1), 8))));
    }

    private static String relative(String path) {
        return path.replaceFirst("^/+", "");
    }

    /** The folders that may limit this process's CPU time: per hierarchy its own group, then its ancestors up to the mount point. */
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
        Path own = point; // the nearest we can see, if the group is not there
        try {
            Path group = point.resolve(relative(below)).normalize();
            own = Files.isDirectory(group) && group.startsWith(point) ? group : point;
        } catch (InvalidPathException e) {
            own = point;
        }
        // Ends at the mount point: each turn makes the path shorter.
        for (@Nullable Path folder = own; folder != null && folder.startsWith(point); folder = folder.getParent()) {
            folders.add(folder);
        }
    }
}
