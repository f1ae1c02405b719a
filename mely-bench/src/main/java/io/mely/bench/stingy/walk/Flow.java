// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stingy.walk;

import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Deque;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.JumpInsnNode;
import org.objectweb.asm.tree.LabelNode;
import org.objectweb.asm.tree.LookupSwitchInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.TableSwitchInsnNode;

/** Which instructions follow each other in a method; exceptions are left out. */
final class Flow {
    private final InsnList instructions;
    private final BitSet[] next;
    private final BitSet inLoop;
    private final BitSet always;

    Flow(MethodNode method) {
        instructions = method.instructions;
        next = new BitSet[instructions.size()];
        for (int i = 0; i < next.length; i++) {
            next[i] = next(instructions.get(i), i);
        }
        inLoop = findLoops();
        always = findAlways();
    }

    private BitSet next(AbstractInsnNode at, int index) {
        BitSet after = new BitSet();
        int opcode = at.getOpcode();
        if (at instanceof JumpInsnNode jump) {
            after.set(instructions.indexOf(jump.label));
        } else if (at instanceof TableSwitchInsnNode choice) {
            after.set(instructions.indexOf(choice.dflt));
            for (LabelNode label : choice.labels) {
                after.set(instructions.indexOf(label));
            }
        } else if (at instanceof LookupSwitchInsnNode choice) {
            after.set(instructions.indexOf(choice.dflt));
            for (LabelNode label : choice.labels) {
                after.set(instructions.indexOf(label));
            }
        }
        boolean isEnd = opcode == Opcodes.GOTO
                || opcode == Opcodes.ATHROW
                || opcode == Opcodes.TABLESWITCH
                || opcode == Opcodes.LOOKUPSWITCH
                || isReturn(opcode);
        if (!isEnd && index + 1 < instructions.size()) {
            after.set(index + 1);
        }
        return after;
    }

    private static boolean isReturn(int opcode) {
        return opcode >= Opcodes.IRETURN && opcode <= Opcodes.RETURN;
    }

    private BitSet findLoops() {
        BitSet found = new BitSet();
        for (int i = 0; i < next.length; i++) {
            int to = next[i].nextSetBit(0);
            if (to >= 0 && to <= i) {
                found.set(to, i + 1);
            }
        }
        return found;
    }

    private BitSet findAlways() {
        BitSet found = new BitSet();
        for (int i = 0; i < next.length; i++) {
            int opcode = instructions.get(i).getOpcode();
            boolean isCall = opcode >= Opcodes.INVOKEVIRTUAL && opcode <= Opcodes.INVOKEINTERFACE;
            if (isCall && !isReturnReachedWithout(i)) {
                found.set(i);
            }
        }
        return found;
    }

    private boolean isReturnReachedWithout(int left) {
        BitSet seen = new BitSet();
        Deque<Integer> open = new ArrayDeque<>();
        open.push(0);
        while (!open.isEmpty()) {
            int at = open.pop();
            if (at == left || seen.get(at)) {
                continue;
            }
            seen.set(at);
            if (isReturn(instructions.get(at).getOpcode())) {
                return true;
            }
            next[at].stream().forEach(open::push);
        }
        return false;
    }

    /** Instructions between a jump back and where it leads. */
    BitSet inLoop() {
        return inLoop;
    }

    /** Calls without which no return is reached. */
    BitSet always() {
        return always;
    }
}
