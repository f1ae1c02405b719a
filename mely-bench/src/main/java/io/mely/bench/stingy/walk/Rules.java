// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stingy.walk;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The calls that mean something: who makes a stage, sends to one, has a function run later, allocates and frees. The paper's interface, for Mely, Netty and the JDK; a file may add to it.
 *
 * <p><b>Source.</b> spec: Stingy §5.1.
 */
final class Rules {
    /** What a call does. */
    enum Kind {
        /** Makes a stage: its arguments are the name and the handler. */
        STAGE,
        /** Sends an event to a stage, its argument. */
        SEND,
        /** Has a function, its argument, run as an event of its own. */
        RUN_LATER,
        /** Allocates: its argument is the size; -1: there is none. */
        ALLOCATE,
        /** Frees its argument. */
        FREE,
        /** Runs a function, its argument, at once. */
        CALL
    }

    /**
     * A rule.
     *
     * @param kind what the call does
     * @param owner class or interface, internal name; subtypes are meant, too
     * @param name of the method; "*": any
     * @param descriptor of the method, or how it begins; empty: any
     * @param first place of the argument that matters, the object being 0 of a method that has one; -1: none, or any that is a function
     * @param second of the second one, of a stage its handler
     */
    record Rule(Kind kind, String owner, String name, String descriptor, int first, int second) {}

    /** Interfaces whose functions are called from outside: by a core's poller, and by the runtime. */
    private static final Set<String> CALLED_FROM_OUTSIDE = Set.of(
            "io/mely/net/ReadinessHandler",
            "io/mely/net/AcceptHandler",
            "io/mely/ErrorHandler",
            "io/mely/DropHandler",
            "io/mely/StallListener");

    private static final List<String> BUFFERS = List.of("buffer", "ioBuffer", "heapBuffer", "directBuffer");

    private final List<Rule> rules = new ArrayList<>();

    Rules() {
        add(Kind.STAGE, "io/mely/Mely", "stage", "(Ljava/lang/String;Lio/mely/Handler;)", 1, 2);
        add(Kind.STAGE, "io/mely/Mely", "stage", "(Ljava/lang/String;Lio/mely/StageOptions;Lio/mely/Handler;)", 1, 3);
        add(Kind.SEND, "io/mely/Stage", "offer", "", 0, -1);
        add(Kind.SEND, "io/mely/Stage", "send", "", 0, -1);
        add(Kind.SEND, "io/mely/Color", "schedule", "(Ljava/time/Duration;Lio/mely/Stage;Ljava/lang/Object;)", 2, -1);
        add(Kind.RUN_LATER, "io/mely/Color", "schedule", "(Ljava/time/Duration;Ljava/lang/Runnable;)", 2, -1);
        add(Kind.RUN_LATER, "io/mely/Color", "scheduleAtFixedRate", "", 3, -1);
        add(Kind.RUN_LATER, "io/mely/Mely", "blocking", "(Ljava/util/concurrent/Callable;)", 1, -1);
        add(Kind.RUN_LATER, "io/mely/Mely", "blocking", "(Lio/mely/Color;Ljava/util/concurrent/Callable;)", 2, -1);
        add(Kind.RUN_LATER, "java/util/concurrent/Executor", "execute", "", 1, -1);
        add(Kind.RUN_LATER, "java/util/concurrent/ExecutorService", "submit", "", 1, -1);
        add(Kind.RUN_LATER, "java/util/concurrent/ScheduledExecutorService", "schedule", "", 1, -1);
        add(Kind.RUN_LATER, "java/util/concurrent/ScheduledExecutorService", "scheduleAtFixedRate", "", 1, -1);
        add(Kind.RUN_LATER, "java/util/concurrent/ScheduledExecutorService", "scheduleWithFixedDelay", "", 1, -1);
        add(Kind.RUN_LATER, "java/util/concurrent/CompletionStage", "*", "", -1, -1);
        for (String name : BUFFERS) {
            for (String descriptor : List.of("(I)", "(II)")) {
                add(Kind.ALLOCATE, "io/netty/buffer/ByteBufAllocator", name, descriptor, 1, -1);
            }
            add(Kind.ALLOCATE, "io/netty/buffer/ByteBufAllocator", name, "()", -1, -1);
        }
        for (String name : List.of("buffer", "directBuffer")) {
            add(Kind.ALLOCATE, "io/netty/buffer/Unpooled", name, "(I)", 0, -1);
            add(Kind.ALLOCATE, "io/netty/buffer/Unpooled", name, "(II)", 0, -1);
            add(Kind.ALLOCATE, "io/netty/buffer/Unpooled", name, "()", -1, -1);
        }
        add(Kind.ALLOCATE, "java/nio/ByteBuffer", "allocate", "(I)", 0, -1);
        add(Kind.ALLOCATE, "java/nio/ByteBuffer", "allocateDirect", "(I)", 0, -1);
        add(Kind.FREE, "io/netty/util/ReferenceCounted", "release", "", 0, -1);
        add(Kind.FREE, "io/netty/util/ReferenceCountUtil", "release", "", 0, -1);
        add(Kind.FREE, "io/netty/util/ReferenceCountUtil", "safeRelease", "", 0, -1);
    }

    private void add(Kind kind, String owner, String name, String descriptor, int first, int second) {
        rules.add(new Rule(kind, owner, name, descriptor, first, second));
    }

    /** Adds one; it counts before the others. */
    void add(Rule rule) {
        rules.add(0, rule);
    }

    /** The rule for a call; null if it means nothing. */
    @Nullable
    Rule find(ClassPath classes, MethodId called) {
        for (Rule rule : rules) {
            boolean isNamed = rule.name.equals("*") || rule.name.equals(called.name());
            if (isNamed
                    && called.descriptor().startsWith(rule.descriptor)
                    && !called.name().equals("<init>")
                    && classes.isSubtype(called.owner(), rule.owner)) {
                return rule;
            }
        }
        return null;
    }

    boolean isCalledFromOutside(String type) {
        return CALLED_FROM_OUTSIDE.contains(type);
    }
}
