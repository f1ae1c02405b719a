// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.commons.CodeSizeEvaluator;

// HotSpot does not inline a method of more than 325 bytes of code (FreqInlineSize). What is hot and large is made of
// such
// methods, so that each is compiled once, and not once more into each of its callers: in the first seconds of a JVM the
// compiler needs a CPU that the events need, too.
class CompiledSizeTest {
    private static final int INLINED_MAX = 325;

    @ParameterizedTest
    @CsvSource({"ColoredVisitor, sliceNext", "EventWorker, runTurn", "Arrivals, drain", "ReadyColors, put"})
    void hotMethod_isTooLargeToBeInlined(String type, String method) throws IOException {
        assertThat(sizes(type)).containsKey(method);
        assertThat(sizes(type).get(method)).isGreaterThan(INLINED_MAX);
    }

    private static Map<String, Integer> sizes(String type) throws IOException {
        Map<String, Integer> sizes = new TreeMap<>();
        try (InputStream in = Core.class.getResourceAsStream(type + ".class")) {
            new ClassReader(in)
                    .accept(
                            new ClassVisitor(Opcodes.ASM9) {
                                @Override
                                public MethodVisitor visitMethod(
                                        int access,
                                        String name,
                                        String signature,
                                        String generic,
                                        String[] exceptions) {
                                    return new CodeSizeEvaluator(null) {
                                        @Override
                                        public void visitEnd() {
                                            sizes.merge(name, getMinSize(), Math::max);
                                        }
                                    };
                                }
                            },
                            0);
        }
        return sizes;
    }
}
