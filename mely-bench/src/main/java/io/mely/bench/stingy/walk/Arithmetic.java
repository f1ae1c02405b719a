// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stingy.walk;

import org.jspecify.annotations.Nullable;
import org.objectweb.asm.Opcodes;

/** Arithmetic of known numbers. */
final class Arithmetic {
    private Arithmetic() {}

    /** The result; null if it is not computed here, or there is none. */
    static @Nullable Integer of(int opcode, int a, int b) {
        return switch (opcode) {
            case Opcodes.IADD -> a + b;
            case Opcodes.ISUB -> a - b;
            case Opcodes.IMUL -> a * b;
            case Opcodes.IDIV -> b == 0 ? null : (Integer) (a / b);
            case Opcodes.IREM -> b == 0 ? null : (Integer) (a % b);
            case Opcodes.ISHL -> a << b;
            case Opcodes.ISHR -> a >> b;
            case Opcodes.IUSHR -> a >>> b;
            case Opcodes.IAND -> a & b;
            case Opcodes.IOR -> a | b;
            case Opcodes.IXOR -> a ^ b;
            default -> null;
        };
    }

    /** Whether the result of an operation on two values takes two places on the stack. */
    static boolean isWide(int opcode) {
        return switch (opcode) {
            case Opcodes.LALOAD,
                    Opcodes.DALOAD,
                    Opcodes.LADD,
                    Opcodes.DADD,
                    Opcodes.LSUB,
                    Opcodes.DSUB,
                    Opcodes.LMUL,
                    Opcodes.DMUL,
                    Opcodes.LDIV,
                    Opcodes.DDIV,
                    Opcodes.LREM,
                    Opcodes.DREM,
                    Opcodes.LSHL,
                    Opcodes.LSHR,
                    Opcodes.LUSHR,
                    Opcodes.LAND,
                    Opcodes.LOR,
                    Opcodes.LXOR -> true;
            default -> false;
        };
    }
}
