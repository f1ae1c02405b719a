// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.simulate.machine;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/**
 * Puts the machine's costs into a class of the runtime: its bytecodes are counted block by block, its branches are guessed, and each access to a field, an element or an
 * atomic tells the machine which line it touches. What the class does stays what it was; so what the simulator charges follows the code when that
 * changes.
 *
 * <p>Three names mean something: {@code lock}, {@code tryLock} and {@code unlock} of a class that has all three are a spin lock's, and a
 * {@code steal} without parameters is a round of victims. A test sees that they are there.
 *
 * <p>Not charged: constructors, for the runtime makes its objects once and pools them; and what is inside a monitor, as no core may stop there: the
 * runtime enters one only to make more objects.
 */
final class Weaver {
    static final int GET = 0;
    static final int SET = 1;
    static final int UPDATE = 2;

    private static final String VM = "io/mely/bench/simulate/machine/Vm";
    private static final String PLACED = "io/mely/bench/simulate/machine/Placed";
    private static final String HANDLE = "java/lang/invoke/VarHandle";
    /** Of JCTools' linked queues; an AtomicReference of its own. */
    private static final String ATOMIC_NODE = "org/jctools/queues/atomic/LinkedQueueAtomicNode";

    private static final String SEMAPHORE = "java/util/concurrent/Semaphore";

    private static final String UPDATER = "FieldUpdater";
    private static final String ADDRESS = "$virtualAddress";
    private static final String[] CHARGED = {
        "io/mely/runtime/",
        "io/mely/policy/",
        "io/mely/spi/",
        "io/mely/bench/libasync/",
        "org/jctools/queues/",
        // the accounts of the buffers
        "io/mely/stingy/Hand",
        "io/mely/stingy/OwnPlaces",
        "io/mely/stingy/Slots",
        "io/mely/stingy/StageSupply",
        "io/mely/stingy/StingyRegion"
    };

    private Weaver() {}

    /** The simulator's own way in; and the thread: with continuations all cores have one, which would be on the move all the time. */
    private static final Set<String> UNCHARGED = Set.of("io/mely/runtime/CoreThread", "io/mely/runtime/VirtualCores");

    static boolean isCharged(String internalName) {
        if (UNCHARGED.contains(internalName)) {
            return false;
        }
        for (String prefix : CHARGED) {
            if (internalName.startsWith(prefix)) {
                return true;
            }
        }
        return false;
    }

    static byte[] weave(byte[] original) {
        ClassReader reader = new ClassReader(original);
        boolean isInterface = (reader.getAccess() & Opcodes.ACC_INTERFACE) != 0;
        ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
        reader.accept(new WovenClass(writer, reader, isInterface), ClassReader.SKIP_DEBUG);
        return writer.toByteArray();
    }

    private static int kindOf(String method) {
        return switch (method) {
            case "get", "getOpaque", "getAcquire", "getVolatile", "getPlain" -> GET;
            case "set", "setOpaque", "setRelease", "setPlain", "lazySet" -> SET;
            default -> UPDATE;
        };
    }

    private static final class WovenClass extends ClassVisitor {
        private final String self;
        private final String superName;
        private final boolean isInterface;
        private final boolean isLock;
        private final Set<String> ordered;
        private final List<Runnable> bridges = new ArrayList<>();

        WovenClass(ClassVisitor next, ClassReader reader, boolean isInterface) {
            super(Opcodes.ASM9, next);
            this.isInterface = isInterface;
            self = reader.getClassName();
            superName = reader.getSuperName();
            isLock = hasLock(reader);
            ordered = ordered(reader);
        }

        /** Methods with an acquire or a release fence: their accesses to elements are such. */
        private static Set<String> ordered(ClassReader reader) {
            Set<String> ordered = new HashSet<>();
            reader.accept(
                    new ClassVisitor(Opcodes.ASM9) {
                        @Override
                        public MethodVisitor visitMethod(
                                int access,
                                String method,
                                String methodType,
                                @Nullable String generic,
                                String @Nullable [] thrown) {
                            return new MethodVisitor(Opcodes.ASM9) {
                                @Override
                                public void visitMethodInsn(
                                        int opcode, String owner, String name, String type, boolean isInterface) {
                                    if (owner.equals(HANDLE)
                                            && (name.equals("acquireFence") || name.equals("releaseFence"))) {
                                        ordered.add(method + methodType);
                                    }
                                }
                            };
                        }
                    },
                    ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
            return ordered;
        }

        private static boolean hasLock(ClassReader reader) {
            int[] found = {0};
            reader.accept(
                    new ClassVisitor(Opcodes.ASM9) {
                        @Override
                        public @Nullable MethodVisitor visitMethod(
                                int access,
                                String name,
                                String type,
                                @Nullable String generic,
                                String @Nullable [] thrown) {
                            found[0] += (name.equals("lock") && type.equals("()V"))
                                            || (name.equals("tryLock") && type.equals("()Z"))
                                            || (name.equals("unlock") && type.equals("()V"))
                                    ? 1
                                    : 0;
                            return null;
                        }
                    },
                    ClassReader.SKIP_CODE);
            return found[0] == 3;
        }

        private boolean isPlacedHere() {
            return !isInterface && !isCharged(superName);
        }

        @Override
        public void visit(
                int version,
                int access,
                String name,
                @Nullable String generic,
                String above,
                String @Nullable [] interfaces) {
            String[] all = interfaces == null ? new String[0] : interfaces;
            if (isPlacedHere()) {
                all = java.util.Arrays.copyOf(all, all.length + 1);
                all[all.length - 1] = PLACED;
            }
            super.visit(version, access, name, generic, above, all);
        }

        @Override
        public @Nullable MethodVisitor visitMethod(
                int access, String name, String type, @Nullable String generic, String @Nullable [] thrown) {
            MethodVisitor next = super.visitMethod(access, name, type, generic, thrown);
            if ((access & Opcodes.ACC_SYNCHRONIZED) != 0) {
                return new SynchronizedMethod(next);
            }
            if (name.equals("<clinit>")) {
                return new Initializer(next);
            }
            return name.startsWith("<") ? next : new WovenMethod(next, this, name, type);
        }

        @Override
        public void visitEnd() {
            bridges.forEach(Runnable::run);
            if (isPlacedHere()) {
                super.visitField(
                        Opcodes.ACC_PRIVATE | Opcodes.ACC_TRANSIENT | Opcodes.ACC_SYNTHETIC, ADDRESS, "J", null, null);
                MethodVisitor get = method("virtualAddress", "()J");
                get.visitVarInsn(Opcodes.ALOAD, 0);
                get.visitFieldInsn(Opcodes.GETFIELD, self, ADDRESS, "J");
                end(get, Opcodes.LRETURN);
                MethodVisitor set = method("virtualAddress", "(J)V");
                set.visitVarInsn(Opcodes.ALOAD, 0);
                set.visitVarInsn(Opcodes.LLOAD, 1);
                set.visitFieldInsn(Opcodes.PUTFIELD, self, ADDRESS, "J");
                end(set, Opcodes.RETURN);
            }
            if (!isInterface) {
                MethodVisitor size = method("virtualSize", "()I");
                push(size, Layouts.layout(self).size());
                end(size, Opcodes.IRETURN);
            }
            super.visitEnd();
        }

        private MethodVisitor method(String name, String type) {
            MethodVisitor made = cv.visitMethod(Opcodes.ACC_PUBLIC | Opcodes.ACC_SYNTHETIC, name, type, null, null);
            made.visitCode();
            return made;
        }

        private static void end(MethodVisitor method, int opcode) {
            method.visitInsn(opcode);
            method.visitMaxs(0, 0);
            method.visitEnd();
        }

        /** A method that tells the machine of an access, then makes it: the stack of its caller holds everything but the knowledge of where. */
        String bridge(int opcode, String owner, String name, String type) {
            String bridge = "$access" + bridges.size();
            Type[] given = Type.getArgumentTypes(type);
            Type[] all = new Type[given.length + 1];
            all[0] = Type.getObjectType(owner);
            System.arraycopy(given, 0, all, 1, given.length);
            String bridgeType = Type.getMethodDescriptor(Type.getReturnType(type), all);
            boolean isHandle = owner.equals(HANDLE);
            bridges.add(() -> {
                MethodVisitor m = cv.visitMethod(
                        Opcodes.ACC_PRIVATE | Opcodes.ACC_STATIC | Opcodes.ACC_SYNTHETIC,
                        bridge,
                        bridgeType,
                        null,
                        null);
                m.visitCode();
                if (isHandle && given[0].getSort() == Type.ARRAY) {
                    m.visitVarInsn(Opcodes.ALOAD, 1);
                    m.visitVarInsn(Opcodes.ILOAD, 2);
                    push(m, kindOf(name));
                    m.visitMethodInsn(Opcodes.INVOKESTATIC, VM, "handleElement", "(Ljava/lang/Object;II)V", false);
                } else if (isHandle) {
                    m.visitVarInsn(Opcodes.ALOAD, 0);
                    m.visitVarInsn(Opcodes.ALOAD, 1);
                    push(m, kindOf(name));
                    m.visitMethodInsn(
                            Opcodes.INVOKESTATIC,
                            VM,
                            "handle",
                            "(Ljava/lang/invoke/VarHandle;Ljava/lang/Object;I)V",
                            false);
                } else if (owner.endsWith(UPDATER)) {
                    m.visitVarInsn(Opcodes.ALOAD, 0);
                    m.visitVarInsn(Opcodes.ALOAD, 1);
                    push(m, kindOf(name));
                    m.visitMethodInsn(
                            Opcodes.INVOKESTATIC, VM, "updater", "(Ljava/lang/Object;Ljava/lang/Object;I)V", false);
                } else {
                    m.visitVarInsn(Opcodes.ALOAD, 0);
                    if (owner.endsWith("Array") && given.length > 0 && given[0].getSort() == Type.INT) {
                        m.visitVarInsn(Opcodes.ILOAD, 1);
                    } else {
                        push(m, 0);
                    }
                    push(m, kindOf(name));
                    m.visitMethodInsn(Opcodes.INVOKESTATIC, VM, "atomic", "(Ljava/lang/Object;II)V", false);
                }
                int slot = 0;
                for (Type argument : all) {
                    m.visitVarInsn(argument.getOpcode(Opcodes.ILOAD), slot);
                    slot += argument.getSize();
                }
                m.visitMethodInsn(opcode, owner, name, type, false);
                end(m, Type.getReturnType(type).getOpcode(Opcodes.IRETURN));
            });
            return bridge + bridgeType;
        }
    }

    private static void push(MethodVisitor method, int value) {
        if (value >= -1 && value <= 5) {
            method.visitInsn(Opcodes.ICONST_0 + value);
        } else if (value <= Short.MAX_VALUE) {
            method.visitIntInsn(Opcodes.SIPUSH, value);
        } else {
            method.visitLdcInsn(value);
        }
    }

    /** Costs nothing. Tells the machine which fields the updaters are of, that it makes. */
    private static final class Initializer extends MethodVisitor {
        private String last = "";

        Initializer(MethodVisitor next) {
            super(Opcodes.ASM9, next);
        }

        @Override
        public void visitLdcInsn(Object value) {
            if (value instanceof String text) {
                last = text;
            }
            super.visitLdcInsn(value);
        }

        @Override
        public void visitMethodInsn(int opcode, String owner, String name, String type, boolean isInterface) {
            super.visitMethodInsn(opcode, owner, name, type, isInterface);
            if (owner.endsWith(UPDATER) && name.equals("newUpdater")) {
                super.visitInsn(Opcodes.DUP);
                super.visitLdcInsn(last);
                super.visitMethodInsn(
                        Opcodes.INVOKESTATIC, VM, "isOf", "(Ljava/lang/Object;Ljava/lang/String;)V", false);
            }
        }
    }

    /** Its own code costs nothing; what it calls must not hand over while the monitor is held. */
    private static final class SynchronizedMethod extends MethodVisitor {
        SynchronizedMethod(MethodVisitor next) {
            super(Opcodes.ASM9, next);
        }

        @Override
        public void visitCode() {
            super.visitCode();
            super.visitMethodInsn(Opcodes.INVOKESTATIC, VM, "monitorEnter", "()V", false);
        }

        @Override
        public void visitInsn(int opcode) {
            if (opcode >= Opcodes.IRETURN && opcode <= Opcodes.RETURN) {
                super.visitMethodInsn(Opcodes.INVOKESTATIC, VM, "monitorExit", "()V", false);
            }
            super.visitInsn(opcode);
        }

        @Override
        public void visitMethodInsn(int opcode, String owner, String called, String calledType, boolean isInterface) {
            if (!bySemaphore(mv, owner, called, calledType)) {
                super.visitMethodInsn(opcode, owner, called, calledType, isInterface);
            }
        }
    }

    /** Whether it is a call by which threads beside the cores wait for each other: then it is the machine's. */
    private static boolean bySemaphore(MethodVisitor method, String owner, String called, String calledType) {
        boolean isTheirs = owner.equals(SEMAPHORE)
                && Set.of("acquire", "tryAcquire", "release").contains(called);
        if (isTheirs) {
            String type = "(L" + SEMAPHORE + ";" + calledType.substring(1);
            method.visitMethodInsn(Opcodes.INVOKESTATIC, VM, called, type, false);
        }
        return isTheirs;
    }

    private static final class WovenMethod extends MethodVisitor {
        private final WovenClass in;
        private final String name;
        private final String type;
        private int pending;
        private int monitors;
        private int branches;

        WovenMethod(MethodVisitor next, WovenClass in, String name, String type) {
            super(Opcodes.ASM9, next);
            this.in = in;
            this.name = name;
            this.type = type;
        }

        private void vm(String hook, String hookType) {
            super.visitMethodInsn(Opcodes.INVOKESTATIC, VM, hook, hookType, false);
        }

        private void flush() {
            if (pending != 0) {
                push(mv, pending);
                vm("tick", "(I)V");
                pending = 0;
            }
        }

        private boolean isLockMethod() {
            return in.isLock && (name.equals("lock") || name.equals("tryLock"));
        }

        private boolean isSteal() {
            return name.equals("steal") && !type.endsWith("V") && !in.isInterface;
        }

        @Override
        public void visitCode() {
            super.visitCode();
            if (isLockMethod()) {
                vm("lockBegin", "()V");
            } else if (in.isLock && name.equals("unlock")) {
                vm("unlock", "()V");
            } else if (isSteal()) {
                vm("stealBegin", "()V");
            }
        }

        private void beforeReturn(int opcode) {
            if (isLockMethod()) {
                super.visitInsn(opcode == Opcodes.IRETURN ? Opcodes.DUP : Opcodes.ICONST_1);
                vm("lockEnd", "(Z)V");
            } else if (isSteal() && opcode == Opcodes.ARETURN) {
                super.visitInsn(Opcodes.DUP);
                vm("stealEnd", "(Ljava/lang/Object;)V");
            } else if (isSteal() && opcode == Opcodes.IRETURN) {
                super.visitInsn(Opcodes.DUP);
                vm("stealEnd", "(Z)V");
            }
        }

        @Override
        public void visitInsn(int opcode) {
            pending++;
            if (opcode == Opcodes.MONITORENTER) {
                monitors++;
                vm("monitorEnter", "()V");
            } else if (opcode == Opcodes.MONITOREXIT) {
                monitors = 0; // javac's second exit is the exception's
                vm("monitorExit", "()V");
            }
            if ((opcode >= Opcodes.IRETURN && opcode <= Opcodes.RETURN) || opcode == Opcodes.ATHROW) {
                flush();
                if (opcode != Opcodes.ATHROW) {
                    beforeReturn(opcode);
                }
            } else if (monitors == 0) {
                element(opcode);
            }
            super.visitInsn(opcode);
        }

        private void element(int opcode) {
            if (in.ordered.contains(name + type) && (opcode == Opcodes.IALOAD || opcode == Opcodes.IASTORE)) {
                orderedElement(opcode == Opcodes.IALOAD);
            } else if (opcode >= Opcodes.IALOAD && opcode <= Opcodes.SALOAD) {
                super.visitInsn(Opcodes.DUP2);
                push(mv, elementBytes(opcode - Opcodes.IALOAD));
                vm("readElement", "(Ljava/lang/Object;II)V");
            } else if (opcode >= Opcodes.IASTORE && opcode <= Opcodes.SASTORE) {
                if (opcode == Opcodes.LASTORE || opcode == Opcodes.DASTORE) {
                    super.visitInsn(Opcodes.DUP2_X2);
                    super.visitInsn(Opcodes.POP2);
                    super.visitInsn(Opcodes.DUP2_X2);
                } else {
                    super.visitInsn(Opcodes.DUP_X2);
                    super.visitInsn(Opcodes.POP);
                    super.visitInsn(Opcodes.DUP2_X1);
                }
                push(mv, elementBytes(opcode - Opcodes.IASTORE));
                vm("writeElement", "(Ljava/lang/Object;II)V");
            }
        }

        private void orderedElement(boolean isRead) {
            flush();
            if (isRead) {
                super.visitInsn(Opcodes.DUP2);
            } else {
                super.visitInsn(Opcodes.DUP_X2);
                super.visitInsn(Opcodes.POP);
                super.visitInsn(Opcodes.DUP2_X1);
            }
            push(mv, isRead ? GET : SET);
            vm("handleElement", "(Ljava/lang/Object;II)V");
        }

        /** By position in the order int, long, float, double, reference, byte, char, short. */
        private static int elementBytes(int position) {
            return switch (position) {
                case 1, 3 -> 8;
                case 5 -> 1;
                case 6, 7 -> 2;
                default -> 4;
            };
        }

        @Override
        public void visitFieldInsn(int opcode, String owner, String field, String fieldType) {
            pending++;
            if (isCharged(owner) && monitors == 0) {
                Layouts.Layout layout = Layouts.layout(owner);
                boolean isVolatile = layout.isVolatile(field);
                if (opcode == Opcodes.GETFIELD) {
                    if (isVolatile) {
                        flush();
                    }
                    super.visitInsn(Opcodes.DUP);
                    push(mv, layout.offset(field));
                    vm(isVolatile ? "readVolatile" : "read", "(Ljava/lang/Object;I)V");
                } else if (opcode == Opcodes.PUTFIELD) {
                    if (isVolatile) {
                        flush();
                    }
                    if (fieldType.equals("J") || fieldType.equals("D")) {
                        super.visitInsn(Opcodes.DUP2_X1);
                        super.visitInsn(Opcodes.POP2);
                        super.visitInsn(Opcodes.DUP_X2);
                    } else {
                        super.visitInsn(Opcodes.DUP2);
                        super.visitInsn(Opcodes.POP);
                    }
                    push(mv, layout.offset(field));
                    vm(isVolatile ? "writeVolatile" : "write", "(Ljava/lang/Object;I)V");
                }
            }
            super.visitFieldInsn(opcode, owner, field, fieldType);
        }

        @Override
        public void visitMethodInsn(int opcode, String owner, String called, String calledType, boolean isInterface) {
            pending++;
            if (owner.equals("java/lang/Thread") && (called.equals("onSpinWait") || called.equals("yield"))) {
                flush();
                vm("spin", "()V");
                return;
            }
            if (owner.equals(SEMAPHORE)) {
                flush();
                if (bySemaphore(mv, owner, called, calledType)) {
                    return;
                }
            }
            if (opcode == Opcodes.INVOKESTATIC && owner.equals(HANDLE)) {
                flush();
                if (called.equals("fullFence")) {
                    vm("fence", "()V");
                }
            } else if (opcode == Opcodes.INVOKEVIRTUAL && monitors == 0 && isAtomic(owner, called)) {
                flush();
                String bridge = in.bridge(opcode, owner, called, calledType);
                int at = bridge.indexOf('(');
                super.visitMethodInsn(
                        Opcodes.INVOKESTATIC, in.self, bridge.substring(0, at), bridge.substring(at), false);
                return;
            } else {
                flush();
            }
            super.visitMethodInsn(opcode, owner, called, calledType, isInterface);
        }

        private static boolean isAtomic(String owner, String method) {
            return (owner.equals(HANDLE) && !method.equals("withInvokeExactBehavior"))
                    || (owner.equals(ATOMIC_NODE) && (method.equals("get") || method.equals("lazySet")))
                    || (owner.startsWith("java/util/concurrent/atomic/")
                            && !method.equals("length")
                            && !method.equals("toString"));
        }

        @Override
        public void visitJumpInsn(int opcode, Label label) {
            pending++;
            flush();
            condition(opcode);
            super.visitJumpInsn(opcode, label);
        }

        /** Hands on what the jump is about to look at. */
        private void condition(int opcode) {
            if (opcode == Opcodes.GOTO) {
                return;
            }
            boolean isOfTwo = opcode >= Opcodes.IF_ICMPEQ && opcode <= Opcodes.IF_ACMPNE;
            super.visitInsn(isOfTwo ? Opcodes.DUP2 : Opcodes.DUP);
            push(mv, opcode);
            super.visitLdcInsn(31 * (in.self + '.' + name + type).hashCode() + branches++);
            boolean isOfObjects = opcode >= Opcodes.IF_ACMPEQ;
            String compared = isOfObjects ? "Ljava/lang/Object;" : "I";
            vm("branch", "(" + compared.repeat(isOfTwo ? 2 : 1) + "II)V");
        }

        @Override
        public void visitLabel(Label label) {
            flush();
            super.visitLabel(label);
        }

        @Override
        public void visitTableSwitchInsn(int min, int max, Label other, Label... labels) {
            pending++;
            flush();
            super.visitTableSwitchInsn(min, max, other, labels);
        }

        @Override
        public void visitLookupSwitchInsn(Label other, int[] keys, Label[] labels) {
            pending++;
            flush();
            super.visitLookupSwitchInsn(other, keys, labels);
        }

        @Override
        public void visitIntInsn(int opcode, int operand) {
            pending++;
            super.visitIntInsn(opcode, operand);
        }

        @Override
        public void visitVarInsn(int opcode, int index) {
            pending++;
            super.visitVarInsn(opcode, index);
        }

        @Override
        public void visitTypeInsn(int opcode, String operand) {
            pending++;
            super.visitTypeInsn(opcode, operand);
        }

        @Override
        public void visitLdcInsn(Object value) {
            pending++;
            super.visitLdcInsn(value);
        }

        @Override
        public void visitIincInsn(int index, int increment) {
            pending++;
            super.visitIincInsn(index, increment);
        }
    }
}
