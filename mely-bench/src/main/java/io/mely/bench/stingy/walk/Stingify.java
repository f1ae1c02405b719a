// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stingy.walk;

import io.mely.deploy.Nearest;
import io.mely.deploy.stingy.HoconFile.WrongFileException;
import io.mely.deploy.stingy.MemoryPlan;
import io.mely.deploy.stingy.MemoryPlan.PlannedObject;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.ClassReader;

/**
 * Makes a program allocate by a plan: at each site of it the allocator is asked through {@code io.mely.stingy.StingyAlloc.buffer(allocator, site, size)}, which falls back to the allocator.
 *
 * <p>Nothing else of a class changes. Sites that cannot be changed stay as they are, and are told.
 *
 * <p><b>Threads.</b> Any. <b>Source.</b> spec: Stingy §5, §5.6.
 */
public final class Stingify {
    private final List<Path> places;
    private final List<Change> changes = new ArrayList<>();
    private final List<String> refused = new ArrayList<>();
    private final SortedMap<String, byte[]> classes;

    /**
     * A site that was changed.
     *
     * @param place class, method and line
     * @param before the call as it was
     * @param after the call as it is now
     */
    public record Change(String place, String before, String after) {}

    /**
     * Changes the classes of a program, in memory.
     *
     * @param places jars and folders of classes
     * @param packages names that a class begins with to be analysed; none: all
     * @param annotations a file; null: there is none
     * @param plan whose objects are named as the analysis of the same classes names them
     * @throws IOException naming what cannot be read
     * @throws WrongFileException if the annotations make no sense
     */
    public Stingify(List<Path> places, Collection<String> packages, @Nullable Path annotations, MemoryPlan plan)
            throws IOException, WrongFileException {
        this.places = List.copyOf(places);
        Walk walk = new Walk(places, packages, annotations);
        SortedMap<String, byte[]> originals = new TreeMap<>();
        for (Path place : places) {
            ClassPath.read(place, bytes -> originals.putIfAbsent(new ClassReader(bytes).getClassName(), bytes));
        }
        Rewriter rewriter = new Rewriter(walk, originals);
        List<Buffer> found = new ArrayList<>();
        for (PlannedObject object : plan.objects()) {
            Buffer buffer = walk.found().get(object.name());
            String reason = buffer == null ? missing(object.name(), walk) : rewriter.refusal(buffer);
            if (buffer == null || reason != null) {
                refused.add(object.name() + ": " + reason);
            } else {
                found.add(buffer);
            }
        }
        for (boolean isDirect : new boolean[] {true, false}) { // what is copied has been changed before
            for (int site = 0; site < plan.objects().size(); site++) {
                for (Buffer buffer : found) {
                    boolean isIt = buffer.name().equals(plan.objects().get(site).name());
                    if (isIt && (buffer.path().size() == 1) == isDirect) {
                        rewriter.rewrite(buffer, site);
                        changes.add(change(buffer, site, walk.program()));
                    }
                }
            }
        }
        classes = rewriter.bytes();
    }

    private static String missing(String name, Walk walk) {
        String nearest = walk.buffers().isEmpty()
                ? "there are no buffers"
                : "the nearest is " + Nearest.to(name, walk.buffers());
        return "nothing is allocated there; " + nearest;
    }

    private static Change change(Buffer buffer, int site, Program program) {
        Site first = buffer.path().get(0);
        MethodId called = Objects.requireNonNull(program.body(first.method())).calls().stream()
                .filter(call -> call.site().equals(first))
                .findFirst()
                .orElseThrow()
                .called();
        String after = buffer.path().size() == 1
                ? "StingyAlloc.buffer(allocator, " + site + ", size)"
                : called + "$stingy" + site + "(size), which calls StingyAlloc.buffer(allocator, " + site + ", size)";
        return new Change(first.toString(), called + "(size)", after);
    }

    /**
     * The difference.
     *
     * @return one for each site of the plan that was changed
     */
    public List<Change> changes() {
        return List.copyOf(changes);
    }

    /**
     * Sites of the plan that stay as they are.
     *
     * @return each with its reason
     */
    public List<String> refused() {
        return List.copyOf(refused);
    }

    /**
     * The classes that have changed.
     *
     * @return their bytes, by internal name
     */
    public SortedMap<String, byte[]> classes() {
        return classes;
    }

    /**
     * Writes the result.
     *
     * @param out a name that ends in .jar: the whole jar, of which there must be just one, without its signatures; another: a folder with the changed classes, to stand before the others on the class path
     * @throws IOException if it cannot be written
     * @throws IllegalArgumentException if a jar is to be written, and something else was read
     */
    public void write(Path out) throws IOException {
        if (out.toString().endsWith(".jar")) {
            if (places.size() != 1 || !Files.isRegularFile(places.get(0))) {
                throw new IllegalArgumentException("a jar is made of one jar; of anything else name a folder: " + out);
            }
            writeJar(places.get(0), out);
            return;
        }
        for (var entry : classes.entrySet()) {
            Path file = out.resolve(entry.getKey() + ".class");
            Files.createDirectories(Objects.requireNonNull(file.getParent()));
            Files.write(file, entry.getValue());
        }
    }

    private void writeJar(Path from, Path out) throws IOException {
        Path parent = out.toAbsolutePath().getParent();
        if (parent != null) {
            Files.createDirectories(parent);
        }
        if (Files.exists(out) && Files.isSameFile(from, out)) {
            throw new IllegalArgumentException("a jar is not written over itself: " + out);
        }
        try (JarFile jar = new JarFile(from.toFile());
                JarOutputStream target = new JarOutputStream(Files.newOutputStream(out))) {
            for (JarEntry entry :
                    jar.stream().filter(each -> !isSignature(each.getName())).toList()) {
                JarEntry copy = new JarEntry(entry.getName());
                copy.setTime(entry.getTime());
                target.putNextEntry(copy);
                String name = entry.getName();
                byte[] changed = name.endsWith(".class") ? classes.get(name.substring(0, name.length() - 6)) : null;
                if (changed != null) {
                    target.write(changed);
                } else {
                    try (InputStream in = jar.getInputStream(entry)) {
                        in.transferTo(target);
                    }
                }
                target.closeEntry();
            }
        }
    }

    private static boolean isSignature(String name) {
        String upper = name.toUpperCase(Locale.ROOT);
        return upper.startsWith("META-INF/")
                && (upper.endsWith(".SF") || upper.endsWith(".RSA") || upper.endsWith(".DSA") || upper.endsWith(".EC"));
    }
}
