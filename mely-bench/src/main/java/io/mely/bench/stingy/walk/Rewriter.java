// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stingy.walk;

import io.mely.bench.stingy.walk.Body.Call;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.IntInsnNode;
import org.objectweb.asm.tree.LdcInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.VarInsnNode;

/**
 * Changes classes so that known sites allocate through the bridge.
 *
 * <p>A site is a call of an allocator, or of a method that only passes its size on to one. Such a method gets a copy for each site, in which the allocation names the site, and the site calls the copy. Branches and
 * types stay as they were, so the frames of a method stay valid.
 */
final class Rewriter {
    private static final String BRIDGE = "io/mely/stingy/StingyAlloc";
    private static final String BRIDGE_DESCRIPTOR = "(Lio/netty/buffer/ByteBufAllocator;II)Lio/netty/buffer/ByteBuf;";
    private static final String ALLOCATOR = "io/netty/buffer/ByteBufAllocator";
    private static final Set<String> NATIVE = Set.of("buffer", "directBuffer", "ioBuffer");

    private final ClassPath classes;
    private final Program program;
    private final Map<String, ClassNode> open = new HashMap<>();
    private final Set<String> changed = new TreeSet<>();
    private final SortedMap<String, byte[]> originals;
    private final Map<MethodId, List<AbstractInsnNode>> instructions = new HashMap<>();

    /** @param originals bytes of the classes, by internal name */
    Rewriter(Walk walk, SortedMap<String, byte[]> originals) {
        classes = walk.classes();
        program = walk.program();
        this.originals = originals;
    }

    /** Why a site cannot be changed; null if it can. */
    @Nullable
    String refusal(Buffer buffer) {
        List<Site> path = buffer.path();
        for (int i = 0; i + 1 < path.size(); i++) {
            MethodId called = call(path.get(i)).called();
            MethodId target = path.get(i + 1).method();
            if (program.targets(call(path.get(i))).size() != 1) {
                return "the call at " + path.get(i) + " may run one of several methods";
            } else if (!target.equals(classes.resolve(called.owner(), called.name(), called.descriptor()))) {
                return "the call at " + path.get(i) + " is of " + called + ", which has no code of its own";
            }
        }
        Site last = path.get(path.size() - 1);
        MethodId called = call(last).called();
        if (!classes.isSubtype(called.owner(), ALLOCATOR) || !NATIVE.contains(called.name())) {
            return called + " is no allocation of native memory by a ByteBufAllocator";
        } else if (called.descriptor().startsWith("()")) {
            return "it names no size";
        } else if (called.descriptor().startsWith("(II)") && !isSizeTwice(last)) {
            return "the buffer may grow: its largest capacity is not its size";
        }
        return null;
    }

    private Call call(Site site) {
        return Objects.requireNonNull(program.body(site.method())).calls().stream()
                .filter(call -> call.site().equals(site))
                .findFirst()
                .orElseThrow();
    }

    /** Whether the two numbers on the stack are the same variable or the same constant. */
    private boolean isSizeTwice(Site site) {
        List<AbstractInsnNode> all = instructions(site.method());
        int at = all.indexOf(instruction(site));
        AbstractInsnNode first = all.get(at - 2);
        AbstractInsnNode second = all.get(at - 1);
        if (first.getOpcode() != second.getOpcode()) {
            return false;
        } else if (first instanceof VarInsnNode a && second instanceof VarInsnNode b) {
            return a.var == b.var;
        } else if (first instanceof IntInsnNode a && second instanceof IntInsnNode b) {
            return a.operand == b.operand;
        } else if (first instanceof LdcInsnNode a && second instanceof LdcInsnNode b) {
            return a.cst.equals(b.cst);
        }
        return first.getOpcode() >= Opcodes.ICONST_M1 && first.getOpcode() <= Opcodes.ICONST_5;
    }

    /** Changes a site that is not refused. */
    void rewrite(Buffer buffer, int number) {
        List<Site> path = buffer.path();
        path.forEach(site -> changed.add(site.method().owner()));
        if (path.size() == 1) {
            allocate(method(path.get(0).method()), (MethodInsnNode) instruction(path.get(0)), number);
            return;
        }
        MethodId target = null;
        for (int i = path.size() - 1; i > 0; i--) {
            MethodId original = path.get(i).method();
            int place = real(method(original)).indexOf(instruction(path.get(i)));
            MethodNode copy = copy(original, number);
            MethodInsnNode inside = (MethodInsnNode) real(copy).get(place);
            if (target == null) {
                allocate(copy, inside, number);
            } else {
                inside.name = target.name();
            }
            target = new MethodId(original.owner(), copy.name, copy.desc);
        }
        ((MethodInsnNode) instruction(path.get(0))).name =
                Objects.requireNonNull(target).name();
    }

    private MethodNode copy(MethodId original, int number) {
        MethodNode from = method(original);
        String name = original.name() + "$stingy" + number;
        MethodNode copy = new MethodNode(
                Opcodes.ASM9, from.access, name, from.desc, from.signature, from.exceptions.toArray(String[]::new));
        from.accept(copy);
        owner(original.owner()).methods.add(copy);
        return copy;
    }

    /** On the stack are the allocator, the size, and perhaps the size again. */
    private static void allocate(MethodNode method, MethodInsnNode call, int number) {
        if (call.desc.startsWith("(II)")) {
            method.instructions.insertBefore(call, new InsnNode(Opcodes.POP));
        }
        method.instructions.insertBefore(call, new LdcInsnNode(number));
        method.instructions.insertBefore(call, new InsnNode(Opcodes.SWAP));
        method.instructions.set(
                call, new MethodInsnNode(Opcodes.INVOKESTATIC, BRIDGE, "buffer", BRIDGE_DESCRIPTOR, false));
    }

    // Classes are read again, with the frames that the analysis leaves out.

    private ClassNode owner(String name) {
        return open.computeIfAbsent(name, key -> {
            ClassNode node = new ClassNode();
            new ClassReader(Objects.requireNonNull(originals.get(key))).accept(node, 0);
            return node;
        });
    }

    private MethodNode method(MethodId id) {
        return find(owner(id.owner()), id);
    }

    private static MethodNode find(ClassNode owner, MethodId id) {
        return owner.methods.stream()
                .filter(each -> each.name.equals(id.name()) && each.desc.equals(id.descriptor()))
                .findFirst()
                .orElseThrow();
    }

    /** The instructions of a method before any change: neither labels, nor lines, nor frames. */
    private List<AbstractInsnNode> instructions(MethodId id) {
        return instructions.computeIfAbsent(id, key -> real(method(key)));
    }

    private static List<AbstractInsnNode> real(MethodNode method) {
        List<AbstractInsnNode> real = new ArrayList<>();
        method.instructions.forEach(each -> {
            if (each.getOpcode() >= 0) {
                real.add(each);
            }
        });
        return real;
    }

    private AbstractInsnNode instruction(Site site) {
        MethodNode analysed =
                find(Objects.requireNonNull(classes.find(site.method().owner())), site.method());
        int place = real(analysed).indexOf(analysed.instructions.get(site.index()));
        return instructions(site.method()).get(place);
    }

    /** The bytes of the classes that were changed. */
    SortedMap<String, byte[]> bytes() {
        SortedMap<String, byte[]> bytes = new TreeMap<>();
        for (String name : changed) {
            ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
            owner(name).accept(writer);
            bytes.put(name, writer.toByteArray());
        }
        return bytes;
    }
}
