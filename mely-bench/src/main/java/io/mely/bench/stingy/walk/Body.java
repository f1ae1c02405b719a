// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stingy.walk;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.LineNumberNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.analysis.Analyzer;
import org.objectweb.asm.tree.analysis.AnalyzerException;

/**
 * What one method does, in symbols: its calls, what it stores into fields, what it returns.
 *
 * <p>A second look at a method is another body, as what its calls return may be known better by then.
 */
final class Body {
    private final MethodId id;
    private final ClassPath classes;
    private final ClassNode owner;
    private final MethodNode method;
    private final Flow flow;
    private final Map<Integer, Call> calls = new TreeMap<>();
    private final Map<Integer, Store> stores = new TreeMap<>();
    private final Map<Integer, Atom.Function> functions = new TreeMap<>();
    private final int[] lines;
    private Values returned = Values.none(1);

    /**
     * A call.
     *
     * @param site of the instruction
     * @param called as written
     * @param opcode how
     * @param args what it is given; its object is the first, if it has one
     * @param isInLoop whether it may run several times in one run of the method
     * @param isAlways whether every run of the method that returns runs it
     */
    record Call(Site site, MethodId called, int opcode, List<Values> args, boolean isInLoop, boolean isAlways) {
        /** Whether the class of its object decides what runs. */
        boolean isVirtual() {
            return opcode == Opcodes.INVOKEVIRTUAL || opcode == Opcodes.INVOKEINTERFACE;
        }
    }

    /**
     * What is put into a field.
     *
     * @param base whose field; none of a static one
     * @param owner the class that declares it
     * @param name the field
     * @param value what is put
     */
    record Store(Values base, String owner, String name, Values value) {}

    /** Says what calls return. */
    interface Returns {
        Values of(Call call);
    }

    Body(ClassPath classes, ClassNode owner, MethodNode method, Flow flow, Returns returns) {
        id = new MethodId(owner.name, method.name, method.desc);
        this.classes = classes;
        this.owner = owner;
        this.method = method;
        this.flow = flow;
        lines = lines(method);
        Evaluator evaluator = new Evaluator(this, classes, returns);
        try {
            new Analyzer<>(evaluator).analyze(owner.name, method);
        } catch (AnalyzerException e) {
            throw new IllegalArgumentException("cannot analyse " + id + ": " + e.getMessage(), e);
        }
    }

    /** The same method, when calls are known to return more. */
    Body again(Returns returns) {
        return new Body(classes, owner, method, flow, returns);
    }

    private static int[] lines(MethodNode method) {
        int[] lines = new int[method.instructions.size()];
        int line = 0;
        for (int i = 0; i < lines.length; i++) {
            if (method.instructions.get(i) instanceof LineNumberNode node) {
                line = node.line;
            }
            lines[i] = line;
        }
        return lines;
    }

    // What the evaluator tells, perhaps several times of an instruction, each time with more symbols.

    Site site(AbstractInsnNode at) {
        int index = method.instructions.indexOf(at);
        return new Site(id, index, lines[index]);
    }

    Call call(AbstractInsnNode at, MethodId called, int opcode, List<Values> args) {
        Site site = site(at);
        Call call = new Call(
                site,
                called,
                opcode,
                List.copyOf(args),
                flow.inLoop().get(site.index()),
                flow.always().get(site.index()));
        calls.put(site.index(), call);
        return call;
    }

    void store(AbstractInsnNode at, Store store) {
        stores.put(method.instructions.indexOf(at), store);
    }

    void function(AbstractInsnNode at, Atom.Function function) {
        functions.put(method.instructions.indexOf(at), function);
    }

    void returns(@Nullable Values value) {
        if (value != null) {
            returned = returned.or(value.sized(1));
        }
    }

    MethodId id() {
        return id;
    }

    boolean isStatic() {
        return (method.access & Opcodes.ACC_STATIC) != 0;
    }

    List<Call> calls() {
        return new ArrayList<>(calls.values());
    }

    List<Store> stores() {
        return new ArrayList<>(stores.values());
    }

    /** Lambdas and method references that it makes. */
    List<Atom.Function> functions() {
        return new ArrayList<>(functions.values());
    }

    Values returned() {
        return returned;
    }
}
