// SPDX-License-Identifier: Apache-2.0
package io.mely.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/**
 * A bug put into a copy of a module: patches to its sources, compiled in memory. The module itself has no switch for it. A patch that no
 * longer applies fails loudly.
 *
 * @param name what is wrong
 * @param patches what to change
 */
public record PlantedBug(String name, List<Patch> patches) {
    /** Of the module whose tests run: Maven runs them in its folder. */
    private static final Path SOURCES = Path.of("src/main/java/io/mely");

    private static final int LOOKS_MAX = 12;

    /**
     * One change.
     *
     * @param file below io/mely, without .java
     * @param from occurs exactly once
     * @param to instead
     */
    public record Patch(String file, String from, String to) {}

    /**
     * A bug of one change.
     *
     * @param name what is wrong
     * @param file below io/mely, without .java
     * @param from occurs exactly once
     * @param to instead
     * @return the bug
     */
    public static PlantedBug of(String name, String file, String from, String to) {
        return new PlantedBug(name, List.of(new Patch(file, from, to)));
    }

    /**
     * The same with one change more.
     *
     * @param file below io/mely, without .java
     * @param from occurs exactly once
     * @param to instead
     * @return the bug
     */
    public PlantedBug and(String file, String from, String to) {
        List<Patch> more = new ArrayList<>(patches);
        more.add(new Patch(file, from, to));
        return new PlantedBug(name, List.copyOf(more));
    }

    /**
     * The changed classes.
     *
     * @return bytes by name
     */
    public Map<String, byte[]> classes() {
        Map<String, String> sources = new HashMap<>();
        for (Patch patch : patches) {
            String source = sources.computeIfAbsent(patch.file, PlantedBug::read);
            int at = source.indexOf(patch.from);
            if (at < 0 || source.indexOf(patch.from, at + 1) >= 0) {
                throw new AssertionError("planted bug \"" + name + "\": in " + patch.file
                        + (at < 0 ? " there is no longer: " : " there is more than one: ") + patch.from);
            }
            sources.put(patch.file, source.replace(patch.from, patch.to));
        }
        return compile(sources);
    }

    /**
     * Fails unless a campaign finds the bug, and by its checkers: without those that see it, the same seed finds nothing.
     *
     * @param subject has the bug
     * @param seedsMax within which it must be found
     * @return a line of a report: the bug, who caught it, after how many seeds, and how many checkers see it there
     */
    public String mustBeCaught(Subject subject, long seedsMax) {
        Map<String, byte[]> classes = classes();
        Campaign.Outcome caught = Campaign.woven(subject, classes, 0, seedsMax, Set.of(), null, false);
        assertThat(caught.check()).as("caught within %s schedules", seedsMax).isNotNull();
        Set<Check> without = EnumSet.of(caught.check());
        Campaign.Outcome outcome = Campaign.woven(subject, classes, caught.seed(), 1, without, null, false);
        for (int look = 0; outcome.check() != null; look++) {
            assertThat(look).as("one more checker each time: %s", without).isLessThan(LOOKS_MAX);
            without.add(outcome.check());
            outcome = Campaign.woven(subject, classes, caught.seed(), 1, without, null, false);
        }
        return "| " + name + " | " + caught.check() + " | " + caught.seedsRun() + " | " + without.size() + " |";
    }

    private static String read(String file) {
        try {
            return Files.readString(SOURCES.resolve(file + ".java"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Map<String, byte[]> compile(Map<String, String> sources) {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        DiagnosticCollector<JavaFileObject> problems = new DiagnosticCollector<>();
        Map<String, byte[]> classes = new HashMap<>();
        List<Source> files = new ArrayList<>();
        sources.forEach((file, text) -> files.add(new Source(file, text)));
        List<String> options = List.of(
                "--release",
                "17",
                "-proc:none",
                "-nowarn",
                "-g",
                "-cp",
                System.getProperty("java.class.path") + classPathOfTests());
        try (JavaFileManager manager = new InMemory(compiler, classes)) {
            boolean isCompiled = compiler.getTask(null, manager, problems, options, null, files)
                    .call();
            if (!isCompiled) {
                List<String> errors = new ArrayList<>();
                for (Diagnostic<?> problem : problems.getDiagnostics()) {
                    if (problem.getKind() == Diagnostic.Kind.ERROR) {
                        errors.add(problem.toString());
                    }
                }
                throw new AssertionError("planted bug \"" + name + "\" does not compile: " + errors);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return classes;
    }

    /** Surefire may hide the class path in a jar's manifest, which this undoes. */
    private static String classPathOfTests() {
        String path = System.getProperty("surefire.test.class.path", "");
        return path.isEmpty() ? "" : File.pathSeparator + path;
    }

    private static final class Source extends SimpleJavaFileObject {
        private final String text;

        Source(String file, String text) {
            super(URI.create("planted:///io/mely/" + file + ".java"), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }

    private static final class InMemory extends ForwardingJavaFileManager<JavaFileManager> {
        private final Map<String, byte[]> classes;

        InMemory(JavaCompiler compiler, Map<String, byte[]> classes) {
            super(compiler.getStandardFileManager(null, null, null));
            this.classes = classes;
        }

        @Override
        public JavaFileObject getJavaFileForOutput(
                Location location, String className, JavaFileObject.Kind kind, FileObject sibling) {
            return new SimpleJavaFileObject(URI.create("planted:///" + className + ".class"), kind) {
                @Override
                public OutputStream openOutputStream() {
                    return new ByteArrayOutputStream() {
                        @Override
                        public void close() {
                            classes.put(className, toByteArray());
                        }
                    };
                }
            };
        }
    }
}
