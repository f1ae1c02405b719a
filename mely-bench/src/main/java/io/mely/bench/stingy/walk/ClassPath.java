// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stingy.walk;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import java.util.zip.ZipException;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.MethodNode;

/**
 * The classes that are analysed, and of others what they extend and implement: those are looked up beside this program, and one that is not there extends nothing.
 *
 * <p>The scheduler is not followed: Mely's own packages are never analysed.
 */
final class ClassPath {
    /** What runs the stages; its sub-packages that are no application's. */
    private static final Set<String> SCHEDULER = Set.of(
            "io/mely",
            "io/mely/admission",
            "io/mely/net",
            "io/mely/policy",
            "io/mely/runtime",
            "io/mely/spi",
            "io/mely/stingy",
            "io/mely/topology");

    private final SortedMap<String, ClassNode> analysed = new TreeMap<>();
    private final Map<String, List<String>> parents = new HashMap<>();
    private final Map<String, Set<String>> children = new HashMap<>();
    private final Map<MethodId, Set<MethodId>> overriding = new HashMap<>();

    /**
     * Reads classes.
     *
     * @param places jars and folders of classes
     * @param packages names that a class begins with to be analysed; none: all
     * @throws IOException naming what cannot be read
     */
    ClassPath(List<Path> places, Collection<String> packages) throws IOException {
        for (Path place : places) {
            read(place, bytes -> add(bytes, packages));
        }
        for (String name : analysed.keySet()) {
            for (String parent : parents(name)) {
                children.computeIfAbsent(parent, key -> new HashSet<>()).add(name);
            }
        }
    }

    /** Takes the bytes of a class. */
    interface ClassSink {
        void accept(byte[] bytes);
    }

    /** Reads the classes of a jar or a folder; the classes of a jar for later Java versions are left out. */
    static void read(Path place, ClassSink sink) throws IOException {
        if (Files.isDirectory(place)) {
            try (Stream<Path> files = Files.walk(place)) {
                for (Path file : files.filter(ClassPath::isClass).sorted().toList()) {
                    accept(file.toString(), Files.readAllBytes(file), sink);
                }
            }
        } else if (Files.isRegularFile(place)) {
            readJar(place, sink);
        } else {
            throw new NoSuchFileException(place.toString());
        }
    }

    private static void readJar(Path place, ClassSink sink) throws IOException {
        try (JarFile jar = new JarFile(place.toFile())) {
            for (JarEntry entry : jar.stream().toList()) {
                String name = entry.getName();
                if (!name.startsWith("META-INF/") && isClass(Path.of(name))) {
                    try (InputStream in = jar.getInputStream(entry)) {
                        accept(place + ": " + name, in.readAllBytes(), sink);
                    }
                }
            }
        } catch (ZipException e) {
            throw new IOException(place + " is no jar: " + e.getMessage(), e);
        }
    }

    private static void accept(String name, byte[] bytes, ClassSink sink) {
        try {
            sink.accept(bytes);
        } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
            throw new IllegalArgumentException(name + " is no class that can be read: " + e.getMessage(), e);
        }
    }

    private static boolean isClass(Path file) {
        String name = String.valueOf(file.getFileName());
        return name.endsWith(".class") && !name.equals("module-info.class") && !name.equals("package-info.class");
    }

    private void add(byte[] bytes, Collection<String> packages) {
        ClassReader reader = new ClassReader(bytes);
        String name = reader.getClassName();
        String dotted = name.replace('/', '.');
        int end = name.lastIndexOf('/');
        boolean isWanted = packages.isEmpty()
                || packages.stream().anyMatch(prefix -> dotted.equals(prefix) || dotted.startsWith(prefix + "."));
        if (isWanted && !SCHEDULER.contains(end < 0 ? "" : name.substring(0, end))) {
            ClassNode node = new ClassNode();
            reader.accept(node, ClassReader.SKIP_FRAMES);
            analysed.putIfAbsent(name, node);
        }
    }

    Collection<ClassNode> analysed() {
        return analysed.values();
    }

    @Nullable
    ClassNode find(String name) {
        return analysed.get(name);
    }

    private List<String> parents(String name) {
        List<String> known = parents.get(name);
        if (known == null) {
            ClassNode node = analysed.get(name);
            known = node != null ? parents(node.superName, node.interfaces) : outsideParents(name);
            parents.put(name, known);
        }
        return known;
    }

    private static List<String> parents(@Nullable String superName, List<String> interfaces) {
        List<String> all = new ArrayList<>(interfaces);
        if (superName != null) {
            all.add(0, superName);
        }
        return all;
    }

    private static List<String> outsideParents(String name) {
        try (InputStream in = ClassLoader.getSystemResourceAsStream(name + ".class")) {
            if (in == null) {
                return List.of();
            }
            ClassReader reader = new ClassReader(in);
            return parents(reader.getSuperName(), List.of(reader.getInterfaces()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (IllegalArgumentException tooNew) {
            return List.of();
        }
    }

    boolean isSubtype(String name, String ancestor) {
        return name.equals(ancestor) || parents(name).stream().anyMatch(parent -> isSubtype(parent, ancestor));
    }

    /** The method that a class has or inherits, if it is in an analysed class and has code. */
    @Nullable
    MethodId resolve(String owner, String name, String descriptor) {
        ClassNode node = analysed.get(owner);
        if (node == null) {
            return null;
        }
        for (MethodNode method : node.methods) {
            if (method.name.equals(name) && method.desc.equals(descriptor)) {
                return (method.access & Opcodes.ACC_ABSTRACT) != 0 ? null : new MethodId(owner, name, descriptor);
            }
        }
        for (String parent : parents(owner)) {
            MethodId inherited = resolve(parent, name, descriptor);
            if (inherited != null) {
                return inherited;
            }
        }
        return null;
    }

    /** What a virtual call may run: the method of the class itself and those of all classes below it. */
    Set<MethodId> overriding(MethodId called) {
        return overriding.computeIfAbsent(called, this::findOverriding);
    }

    private Set<MethodId> findOverriding(MethodId called) {
        Set<MethodId> found = new TreeSet<>();
        Set<String> seen = new HashSet<>();
        List<String> open = new ArrayList<>(List.of(called.owner()));
        while (!open.isEmpty()) {
            String each = open.remove(open.size() - 1);
            if (seen.add(each)) {
                MethodId method = resolve(each, called.name(), called.descriptor());
                if (method != null) {
                    found.add(method);
                }
                open.addAll(children.getOrDefault(each, Set.of()));
            }
        }
        return found;
    }

    /** The class that declares a field, as far as it is analysed. */
    String declaring(String owner, String field) {
        ClassNode node = analysed.get(owner);
        if (node == null || node.fields.stream().anyMatch(each -> each.name.equals(field))) {
            return owner;
        }
        for (String parent : parents(owner)) {
            String found = declaring(parent, field);
            ClassNode parentNode = analysed.get(found);
            if (parentNode != null && parentNode.fields.stream().anyMatch(each -> each.name.equals(field))) {
                return found;
            }
        }
        return owner;
    }
}
