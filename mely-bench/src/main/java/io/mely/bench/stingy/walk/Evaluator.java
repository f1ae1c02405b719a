// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stingy.walk;

import io.mely.bench.stingy.walk.Body.Call;
import io.mely.bench.stingy.walk.Body.Store;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.IntInsnNode;
import org.objectweb.asm.tree.InvokeDynamicInsnNode;
import org.objectweb.asm.tree.LdcInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.TypeInsnNode;
import org.objectweb.asm.tree.analysis.Interpreter;

/** Runs the instructions of a method on symbols, and tells its {@link Body} of calls and stores. */
final class Evaluator extends Interpreter<Values> {
    private static final String LAMBDAS = "java/lang/invoke/LambdaMetafactory";

    private final Body body;
    private final ClassPath classes;
    private final Body.Returns returns;
    private int params; // seen so far

    Evaluator(Body body, ClassPath classes, Body.Returns returns) {
        super(Opcodes.ASM9);
        this.body = body;
        this.classes = classes;
        this.returns = returns;
    }

    @Override
    public @Nullable Values newValue(@Nullable Type type) {
        if (Type.VOID_TYPE.equals(type)) {
            return null;
        }
        return type == null ? Values.none(1) : Values.unknown(type.getSize());
    }

    @Override
    public Values newParameterValue(boolean isInstanceMethod, int local, Type type) {
        return Values.of(type.getSize(), new Atom.Param(params++));
    }

    @Override
    public Values newExceptionValue(
            org.objectweb.asm.tree.TryCatchBlockNode block,
            org.objectweb.asm.tree.analysis.Frame<Values> frame,
            Type type) {
        return Values.unknown(1);
    }

    @Override
    public Values newOperation(AbstractInsnNode at) {
        int opcode = at.getOpcode();
        if (opcode == Opcodes.ACONST_NULL) {
            return Values.none(1);
        } else if (opcode >= Opcodes.ICONST_M1 && opcode <= Opcodes.ICONST_5) {
            return number(opcode - Opcodes.ICONST_0);
        } else if (opcode == Opcodes.LCONST_0 || opcode == Opcodes.LCONST_1) {
            return Values.of(2, new Atom.Const((long) (opcode - Opcodes.LCONST_0)));
        } else if (at instanceof IntInsnNode push) {
            return number(push.operand);
        } else if (at instanceof LdcInsnNode constant) {
            int size = constant.cst instanceof Long || constant.cst instanceof Double ? 2 : 1;
            return Values.of(size, new Atom.Const(constant.cst));
        } else if (at instanceof FieldInsnNode field) { // GETSTATIC
            String owner = classes.declaring(field.owner, field.name);
            return Values.of(Type.getType(field.desc).getSize(), new Atom.Field(null, owner, field.name));
        } else if (opcode == Opcodes.NEW && classes.find(((TypeInsnNode) at).desc) != null) {
            return Values.of(1, new Atom.New(body.site(at), ((TypeInsnNode) at).desc));
        }
        return Values.unknown(opcode == Opcodes.DCONST_0 || opcode == Opcodes.DCONST_1 ? 2 : 1);
    }

    private static Values number(int value) {
        return Values.of(1, new Atom.Const(value));
    }

    @Override
    public Values copyOperation(AbstractInsnNode at, Values value) {
        return value;
    }

    @Override
    public @Nullable Values unaryOperation(AbstractInsnNode at, Values value) {
        switch (at.getOpcode()) {
            case Opcodes.GETFIELD -> {
                FieldInsnNode field = (FieldInsnNode) at;
                String owner = classes.declaring(field.owner, field.name);
                return value.field(owner, field.name, Type.getType(field.desc).getSize());
            }
            case Opcodes.PUTSTATIC -> {
                FieldInsnNode field = (FieldInsnNode) at;
                String owner = classes.declaring(field.owner, field.name);
                body.store(at, new Store(Values.none(1), owner, field.name, value.sized(1)));
                return null;
            }
            case Opcodes.CHECKCAST -> {
                return value;
            }
            case Opcodes.L2I, Opcodes.I2L -> {
                Number known = value.only(Number.class);
                boolean isToLong = at.getOpcode() == Opcodes.I2L;
                if (known != null) {
                    Object converted = isToLong ? (Object) known.longValue() : (Object) known.intValue();
                    return Values.of(isToLong ? 2 : 1, new Atom.Const(converted));
                }
                return value.hasParam() ? value.sized(isToLong ? 2 : 1) : Values.unknown(isToLong ? 2 : 1);
            }
            case Opcodes.INEG -> {
                Integer known = value.only(Integer.class);
                return known == null ? Values.unknown(1) : number(-known);
            }
            case Opcodes.LNEG, Opcodes.DNEG, Opcodes.I2D, Opcodes.L2D, Opcodes.F2L, Opcodes.F2D, Opcodes.D2L -> {
                return Values.unknown(2);
            }
            default -> {
                return isSilent(at.getOpcode()) ? null : Values.unknown(1);
            }
        }
    }

    private static boolean isSilent(int opcode) {
        return (opcode >= Opcodes.IFEQ && opcode <= Opcodes.IFLE)
                || opcode == Opcodes.TABLESWITCH
                || opcode == Opcodes.LOOKUPSWITCH
                || (opcode >= Opcodes.IRETURN && opcode <= Opcodes.ARETURN)
                || opcode == Opcodes.ATHROW
                || opcode == Opcodes.MONITORENTER
                || opcode == Opcodes.MONITOREXIT
                || opcode == Opcodes.IFNULL
                || opcode == Opcodes.IFNONNULL;
    }

    @Override
    public @Nullable Values binaryOperation(AbstractInsnNode at, Values left, Values right) {
        int opcode = at.getOpcode();
        if (opcode == Opcodes.PUTFIELD) {
            FieldInsnNode field = (FieldInsnNode) at;
            String owner = classes.declaring(field.owner, field.name);
            body.store(at, new Store(left, owner, field.name, right.sized(1)));
            return null;
        } else if (opcode >= Opcodes.IF_ICMPEQ && opcode <= Opcodes.IF_ACMPNE) {
            return null;
        }
        Integer a = left.only(Integer.class);
        Integer b = right.only(Integer.class);
        Integer result = a == null || b == null ? null : Arithmetic.of(opcode, a, b);
        return result != null ? number(result) : Values.unknown(Arithmetic.isWide(opcode) ? 2 : 1);
    }

    @Override
    public @Nullable Values ternaryOperation(AbstractInsnNode at, Values first, Values second, Values third) {
        return null;
    }

    @Override
    public @Nullable Values naryOperation(AbstractInsnNode at, List<? extends Values> values) {
        if (at instanceof MethodInsnNode call) {
            MethodId called = new MethodId(call.owner, call.name, call.desc);
            Call made = body.call(
                    at,
                    called,
                    at.getOpcode(),
                    values.stream().map(each -> each.sized(1)).toList());
            int size = Type.getReturnType(call.desc).getSize();
            return size == 0 ? null : returns.of(made).sized(size);
        } else if (at instanceof InvokeDynamicInsnNode dynamic) {
            return dynamic(dynamic, values);
        }
        return Values.unknown(1); // MULTIANEWARRAY
    }

    private Values dynamic(InvokeDynamicInsnNode at, List<? extends Values> values) {
        if (!at.bsm.getOwner().equals(LAMBDAS) || !(at.bsmArgs[1] instanceof Handle target)) {
            return Values.unknown(Type.getReturnType(at.desc).getSize());
        }
        boolean isVirtual = target.getTag() == Opcodes.H_INVOKEVIRTUAL || target.getTag() == Opcodes.H_INVOKEINTERFACE;
        Atom.Function function = new Atom.Function(
                body.site(at),
                Type.getReturnType(at.desc).getInternalName(),
                new MethodId(target.getOwner(), target.getName(), target.getDesc()),
                isVirtual,
                values.stream().map(each -> each.sized(1)).toList());
        body.function(at, function);
        return Values.of(1, function);
    }

    @Override
    public void returnOperation(AbstractInsnNode at, Values value, Values expected) {
        body.returns(value);
    }

    @Override
    public Values merge(Values left, Values right) {
        return left.or(right);
    }
}
