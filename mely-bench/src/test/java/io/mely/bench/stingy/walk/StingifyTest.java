// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stingy.walk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mely.bench.stingy.planted.Shop;
import io.mely.deploy.stingy.MemoryPlan;
import io.mely.deploy.stingy.MemoryPlan.PlannedObject;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

// The planted program, changed, loads, runs, and asks the bridge at the sites of the plan and nowhere else.
class StingifyTest {
    private static final List<String> PLANTED = List.of("io.mely.bench.stingy.planted");
    private static final String BRIDGE = "io/mely/stingy/StingyAlloc";

    @TempDir
    Path folder;

    private Walk walk;

    @BeforeEach
    void analyse() throws Exception {
        Asked.ALL.clear();
        walk = new Walk(List.of(WalkTest.classes()), PLANTED, null);
    }

    /** The bridge, which is the runtime's, as a stub: it calls {@link Asked}. */
    private static byte[] bridge() {
        String descriptor = Type.getMethodDescriptor(
                Type.getType(ByteBuf.class), Type.getType(ByteBufAllocator.class), Type.INT_TYPE, Type.INT_TYPE);
        ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
        writer.visit(Opcodes.V17, Opcodes.ACC_PUBLIC, BRIDGE, null, "java/lang/Object", null);
        MethodVisitor method =
                writer.visitMethod(Opcodes.ACC_PUBLIC | Opcodes.ACC_STATIC, "buffer", descriptor, null, null);
        method.visitCode();
        method.visitVarInsn(Opcodes.ALOAD, 0);
        method.visitVarInsn(Opcodes.ILOAD, 1);
        method.visitVarInsn(Opcodes.ILOAD, 2);
        method.visitMethodInsn(Opcodes.INVOKESTATIC, Type.getInternalName(Asked.class), "note", descriptor, false);
        method.visitInsn(Opcodes.ARETURN);
        method.visitMaxs(0, 0);
        method.visitEnd();
        writer.visitEnd();
        return writer.toByteArray();
    }

    /** Loads the changed classes, and those of the same package, in place of the ones that are there. */
    private static final class Changed extends ClassLoader {
        private final Map<String, byte[]> classes;

        Changed(Map<String, byte[]> classes) {
            super(StingifyTest.class.getClassLoader());
            this.classes = classes;
        }

        @Override
        protected Class<?> loadClass(String name, boolean isResolved) throws ClassNotFoundException {
            String path = name.replace('.', '/');
            byte[] bytes = classes.get(path);
            if (bytes == null && !name.startsWith(PLANTED.get(0) + ".")) {
                return super.loadClass(name, isResolved);
            }
            Class<?> known = findLoadedClass(name);
            try (InputStream in =
                    bytes == null ? getResourceAsStream(path + ".class") : new ByteArrayInputStream(bytes)) {
                byte[] all = in.readAllBytes();
                return known != null ? known : defineClass(name, all, 0, all.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }

    private String site(String method) {
        return walk.buffers().stream()
                .filter(each -> each.startsWith(method + ":"))
                .findFirst()
                .orElseThrow();
    }

    private static MemoryPlan plan(String... objects) {
        List<PlannedObject> planned = new ArrayList<>();
        for (String object : objects) {
            planned.add(new PlannedObject(object, 128, 4, 1, planned.size(), ""));
        }
        return new MemoryPlan(1 << 16, 64, planned, List.of(), new TreeMap<>());
    }

    private static Stingify stingify(MemoryPlan plan) throws Exception {
        return new Stingify(List.of(WalkTest.classes()), PLANTED, null, plan);
    }

    @Test
    void changedClasses_allocateThroughTheBridge() throws Exception {
        Stingify changed = stingify(plan(site("Till.print"), site("Shop.keep")));
        assertThat(changed.refused()).isEmpty();
        assertThat(changed.classes())
                .containsOnlyKeys("io/mely/bench/stingy/planted/Till", "io/mely/bench/stingy/planted/Shop");
        Map<String, byte[]> classes = new TreeMap<>(changed.classes());
        classes.put(BRIDGE, bridge());
        Class<?> shop = new Changed(classes).loadClass(Shop.class.getName());
        @SuppressWarnings("unchecked")
        List<ByteBuf> buffers = (List<ByteBuf>)
                shop.getMethod("run", ByteBufAllocator.class).invoke(null, UnpooledByteBufAllocator.DEFAULT);
        // Two lines of the till, then keep(): what calls the same wrapper elsewhere is not asked for.
        assertThat(Asked.ALL).containsExactly(List.of(0, 64), List.of(0, 64), List.of(1, 100));
        assertThat(buffers).extracting(ByteBuf::capacity).containsExactly(40, 100, 64);
        buffers.forEach(ByteBuf::release);
    }

    @Test
    void difference_namesPlaceBeforeAndAfter() throws Exception {
        Stingify changed = stingify(plan(site("Till.print"), site("Shop.keep")));
        assertThat(changed.changes()).hasSize(2);
        assertThat(changed.changes().get(0).place()).startsWith("Till.print:");
        assertThat(changed.changes().get(0).before()).isEqualTo("ByteBufAllocator.ioBuffer(size)");
        assertThat(changed.changes().get(0).after()).isEqualTo("StingyAlloc.buffer(allocator, 0, size)");
        assertThat(changed.changes().get(1).before()).isEqualTo("Shop.small(size)");
        assertThat(changed.changes().get(1).after()).startsWith("Shop.small$stingy1(size)");
    }

    @Test
    void siteThatCannotBeChanged_isToldAndStays() throws Exception {
        Stingify changed = stingify(plan(site("Shop.heap"), "Shop.kep:1", site("Shop.pooled")));
        assertThat(changed.changes()).isEmpty();
        assertThat(changed.classes()).isEmpty();
        assertThat(changed.refused()).hasSize(3);
        assertThat(changed.refused().get(0)).contains("heapBuffer is no allocation of native memory");
        assertThat(changed.refused().get(1)).contains("nothing is allocated there", "the nearest is Shop.keep:");
        assertThat(changed.refused().get(2)).contains("is of Shop.Pool.take, which has no code of its own");
    }

    @Test
    void jar_isWrittenWhole() throws Exception {
        Path jar = folder.resolve("shop.jar");
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
            for (Class<?> each : List.of(Shop.class, Shop.Order.class)) {
                String name = each.getName().replace('.', '/') + ".class";
                out.putNextEntry(new JarEntry(name));
                try (InputStream in = each.getClassLoader().getResourceAsStream(name)) {
                    in.transferTo(out);
                }
            }
            out.putNextEntry(new JarEntry("readme.txt"));
            out.write('x');
            out.putNextEntry(new JarEntry("META-INF/SHOP.SF"));
        }
        Stingify changed = new Stingify(List.of(jar), List.of(), null, plan(site("Shop.keep")));
        Path out = folder.resolve("new").resolve("shop.jar");
        changed.write(out);
        try (JarFile written = new JarFile(out.toFile())) {
            assertThat(written.stream().map(JarEntry::getName))
                    .containsExactly(
                            "io/mely/bench/stingy/planted/Shop.class",
                            "io/mely/bench/stingy/planted/Shop$Order.class",
                            "readme.txt");
            byte[] shop = written.getInputStream(written.getJarEntry("io/mely/bench/stingy/planted/Shop.class"))
                    .readAllBytes();
            assertThat(shop).isEqualTo(changed.classes().get("io/mely/bench/stingy/planted/Shop"));
        }
        assertThatThrownBy(() -> changed.write(jar)).hasMessageContaining("not written over itself");
        changed.write(folder.resolve("classes"));
        assertThat(folder.resolve("classes/io/mely/bench/stingy/planted/Shop.class"))
                .exists();
        assertThatThrownBy(() -> stingify(plan()).write(out)).hasMessageContaining("a jar is made of one jar");
    }
}
