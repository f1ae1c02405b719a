// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.simulate.machine;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.FieldVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/**
 * Where the fields of a class lie: those of its superclass first, then its own, wide ones first, as HotSpot does. So padding works as it does there.
 */
final class Layouts {
    private static final int HEADER = 12;
    private static final Map<String, Layout> KNOWN = new HashMap<>();

    private Layouts() {}

    /** Offsets by name, own and inherited; the nearest class wins. */
    record Layout(@Nullable Layout above, Map<String, Integer> offsets, Set<String> volatiles, int end) {
        int offset(String field) {
            Integer own = offsets.get(field);
            Layout up = above;
            return own != null ? own : up == null ? HEADER : up.offset(field);
        }

        boolean isVolatile(String field) {
            Layout up = above;
            return offsets.containsKey(field) ? volatiles.contains(field) : up != null && up.isVolatile(field);
        }

        int size() {
            return (end + 7) / 8 * 8;
        }
    }

    static int offset(Class<?> of, String field) {
        return layout(Type.getInternalName(of)).offset(field);
    }

    static synchronized Layout layout(String internalName) {
        Layout known = KNOWN.get(internalName);
        if (known == null) {
            known = read(internalName);
            KNOWN.put(internalName, known);
        }
        return known;
    }

    private record Field(String name, int bytes) {}

    private static Layout read(String internalName) {
        ClassReader reader;
        try (InputStream in = Layouts.class.getClassLoader().getResourceAsStream(internalName + ".class")) {
            if (in == null) {
                throw new IllegalStateException("no such class: " + internalName);
            }
            reader = new ClassReader(in);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        String superName = reader.getSuperName();
        Layout above = superName == null || superName.equals("java/lang/Object") ? null : layout(superName);
        List<Field> fields = new ArrayList<>();
        Set<String> volatiles = new HashSet<>();
        reader.accept(
                new ClassVisitor(Opcodes.ASM9) {
                    @Override
                    public @Nullable FieldVisitor visitField(
                            int access, String name, String type, @Nullable String generic, @Nullable Object value) {
                        if ((access & Opcodes.ACC_STATIC) == 0) {
                            fields.add(new Field(name, bytes(Type.getType(type))));
                            if ((access & Opcodes.ACC_VOLATILE) != 0) {
                                volatiles.add(name);
                            }
                        }
                        return null;
                    }
                },
                ClassReader.SKIP_CODE | ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
        fields.sort(Comparator.comparingInt(Field::bytes).reversed()); // stable: declared order within a width
        Map<String, Integer> offsets = new HashMap<>();
        int at = above == null ? HEADER : above.end();
        for (Field field : fields) {
            at = (at + field.bytes() - 1) / field.bytes() * field.bytes();
            offsets.put(field.name(), at);
            at += field.bytes();
        }
        return new Layout(above, offsets, volatiles, at);
    }

    private static int bytes(Type type) {
        return switch (type.getSort()) {
            case Type.LONG, Type.DOUBLE -> 8;
            case Type.SHORT, Type.CHAR -> 2;
            case Type.BYTE, Type.BOOLEAN -> 1;
            default -> 4; // references are compressed
        };
    }
}
