// SPDX-License-Identifier: Apache-2.0
package io.mely.simulation;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.HashSet;
import java.util.Set;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.FieldVisitor;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Puts a yield point in front of every atomic access of a class: VarHandles, {@code Atomic*} and what extends them, volatile fields, queues
 * of JCTools. So none can be forgotten when the class changes. Try-locks and relaxed polls may then be refused as well.
 *
 * <p>Who waits does so in vain for what is below it on the stack. So nobody is interrupted while it holds a group's spin lock, or in a method that its {@link Subject} calls undivided.
 */
final class Weaver {
    private static final String YIELD = "io/mely/simulation/Yield";
    private static final String CORE_QUEUE = "io/mely/runtime/CoreQueue";

    /** Who holds a group's is not preempted: who waits for it would wait in vain for what is below it on the stack. The scheduler knows who holds a core's. */
    private static final String SPIN_LOCK = "io/mely/spi/SpinLock";

    private static final String INBOX = "io/mely/runtime/Inbox";

    /** Between its claim and its publication an entry holds up others, who would wait in vain for what is below them on the stack. */
    private static final Set<String> UNDIVIDED = Set.of("publish", "offerLarger");

    /** The runtime's own classes that extend an Atomic. A test compares this with what it finds. */
    static final Set<String> ATOMIC_SUBCLASSES =
            Set.of("io/mely/runtime/TimerEntry", "io/mely/runtime/Core$PaddedFlag");

    /** Its monitor keeps no other sender out where all of them are one thread. */
    private static final String RECORD_INDEX = "io/mely/runtime/RecordIndex";

    private static final Set<String> NO_ACCESS = Set.of("withInvokeExactBehavior", "acquireFence");

    private static final Set<String> ATOMIC_METHODS = Set.of("get", "set", "compareAndSet");

    private Weaver() {}

    /**
     * Weaves a class.
     *
     * @param original its bytes
     * @param undivided see {@link Subject}
     */
    static byte[] weave(byte[] original, Set<String> undivided) {
        ClassReader reader = new ClassReader(original);
        Set<String> volatiles = new HashSet<>();
        addVolatiles(reader, volatiles);
        Set<String> acquiring = acquiring(reader);
        ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
        String self = reader.getClassName();
        reader.accept(
                new ClassVisitor(Opcodes.ASM9, writer) {
                    @Override
                    public MethodVisitor visitMethod(
                            int access, String name, String type, String generic, String[] exceptions) {
                        MethodVisitor next = super.visitMethod(access, name, type, generic, exceptions);
                        if (isWhole(self, name)) {
                            return next;
                        }
                        boolean isUndivided =
                                undivided.contains(self.substring(self.lastIndexOf('/') + 1) + '.' + name);
                        return new Woven(next, self, name, volatiles, isUndivided, acquiring.contains(name));
                    }
                },
                0);
        return writer.toByteArray();
    }

    /** Its own, and those that it inherits from the runtime's classes. */
    private static void addVolatiles(ClassReader reader, Set<String> volatiles) {
        reader.accept(
                new ClassVisitor(Opcodes.ASM9) {
                    @Override
                    public FieldVisitor visitField(int access, String name, String type, String generic, Object value) {
                        if ((access & Opcodes.ACC_VOLATILE) != 0) {
                            volatiles.add(name);
                        }
                        return null;
                    }
                },
                ClassReader.SKIP_CODE | ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
        String above = reader.getSuperName();
        if (above.startsWith("io/mely/")) {
            try (InputStream in = Weaver.class.getClassLoader().getResourceAsStream(above + ".class")) {
                addVolatiles(new ClassReader(in), volatiles);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** Methods that read an element before an acquire fence. */
    private static Set<String> acquiring(ClassReader reader) {
        Set<String> acquiring = new HashSet<>();
        reader.accept(
                new ClassVisitor(Opcodes.ASM9) {
                    @Override
                    public MethodVisitor visitMethod(
                            int access, String method, String type, String generic, String[] exceptions) {
                        return new MethodVisitor(Opcodes.ASM9) {
                            @Override
                            public void visitMethodInsn(
                                    int opcode, String owner, String name, String called, boolean isInterface) {
                                if (name.equals("acquireFence")) {
                                    acquiring.add(method);
                                }
                            }
                        };
                    }
                },
                ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
        return acquiring;
    }

    private static boolean isWhole(String owner, String method) {
        return method.equals("<clinit>")
                || (owner.equals(INBOX) && UNDIVIDED.contains(method))
                || owner.equals(RECORD_INDEX)
                || method.equals("isLocked"); // asked by the scheduler, and in assertions
    }

    private static boolean isAtomic(String owner, String method) {
        return (owner.equals("java/lang/invoke/VarHandle") && !NO_ACCESS.contains(method))
                || owner.startsWith("java/util/concurrent/atomic/")
                || (owner.startsWith("org/jctools/queues/"))
                || (ATOMIC_SUBCLASSES.contains(owner) && ATOMIC_METHODS.contains(method));
    }

    private static final class Woven extends MethodVisitor {
        private final String self;
        private final String method;
        private final Set<String> volatiles;
        private final boolean isUndivided;
        private final boolean isAcquiring;

        Woven(
                MethodVisitor next,
                String self,
                String method,
                Set<String> volatiles,
                boolean isUndivided,
                boolean isAcquiring) {
            super(Opcodes.ASM9, next);
            this.isAcquiring = isAcquiring;
            this.isUndivided = isUndivided;
            this.self = self;
            this.method = method;
            this.volatiles = volatiles;
        }

        @Override
        public void visitCode() {
            super.visitCode();
            if (self.equals(CORE_QUEUE) && method.equals("tryLock")) {
                returnZeroIf("refusesLock");
            } else if (self.equals(INBOX) && method.equals("peek")) {
                returnZeroIf("isUnpublished");
            }
            if (isUndivided) {
                yieldHere();
                held(true);
            }
        }

        @Override
        public void visitInsn(int opcode) {
            if (opcode == Opcodes.IALOAD && isAcquiring) {
                yieldHere();
            }
            if (isUndivided && opcode >= Opcodes.IRETURN && opcode <= Opcodes.RETURN) {
                held(false); // not if it throws: then the run is over
            }
            super.visitInsn(opcode);
        }

        private void held(boolean isHeld) {
            super.visitMethodInsn(Opcodes.INVOKESTATIC, YIELD, isHeld ? "locked" : "unlocked", "()V", false);
        }

        private void returnZeroIf(String asked) {
            Label granted = new Label();
            super.visitMethodInsn(Opcodes.INVOKESTATIC, YIELD, asked, "()Z", false);
            super.visitJumpInsn(Opcodes.IFEQ, granted);
            super.visitInsn(Opcodes.ICONST_0);
            super.visitInsn(Opcodes.IRETURN);
            super.visitLabel(granted);
            super.visitFrame(Opcodes.F_SAME, 0, null, 0, null);
        }

        @Override
        public void visitMethodInsn(int opcode, String owner, String name, String type, boolean isInterface) {
            if (owner.startsWith("org/jctools/") && name.equals("relaxedPoll")) {
                super.visitIntInsn(Opcodes.BIPUSH, Places.of(self));
                super.visitMethodInsn(
                        Opcodes.INVOKESTATIC, YIELD, name, "(Ljava/lang/Object;I)Ljava/lang/Object;", false);
                return;
            }
            if (isAtomic(owner, name) && !name.equals("<init>")) {
                yieldHere();
            }
            Rarity rarity = Rarity.of(method, owner, name);
            if (rarity != null) {
                super.visitIntInsn(Opcodes.BIPUSH, rarity.ordinal());
                super.visitMethodInsn(Opcodes.INVOKESTATIC, YIELD, "happens", "(I)V", false);
            }
            super.visitMethodInsn(opcode, owner, name, type, isInterface);
            if (owner.equals(SPIN_LOCK)
                    && !name.equals("<init>")
                    && !self.equals(SPIN_LOCK)
                    && !self.equals(CORE_QUEUE)) {
                held(!name.equals("unlock"));
            }
        }

        @Override
        public void visitFieldInsn(int opcode, String owner, String name, String type) {
            if (owner.equals(self) && volatiles.contains(name) && !method.equals("<init>")) {
                yieldHere();
            }
            super.visitFieldInsn(opcode, owner, name, type);
        }

        private void yieldHere() {
            super.visitIntInsn(Opcodes.BIPUSH, Places.of(self));
            super.visitMethodInsn(Opcodes.INVOKESTATIC, YIELD, "at", "(I)V", false);
        }
    }
}
