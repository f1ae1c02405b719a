// SPDX-License-Identifier: Apache-2.0
package io.mely;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

// Packages depend on each other in one direction; decisions read no clock and no chance of their own; every file says
// its licence.
class TidyTest {
    private static final Path MAIN = Path.of("src/main/java");
    private static final Path TEST = Path.of("src/test/java");
    private static final Path STRESS = Path.of("src/jcstress/java");
    private static final String HEADER = "// SPDX-License-Identifier: Apache-2.0\n";

    /** What each package of {@code io.mely} may use. "" is {@code io.mely} itself. */
    private static final Map<String, Set<String>> MAY_USE = Map.of(
            "", Set.of("admission", "policy", "spi"),
            "admission", Set.of(""),
            "spi", Set.of(""),
            "policy", Set.of("", "spi"),
            "topology", Set.of(),
            "runtime", Set.of("", "admission", "spi", "topology"));

    /** The seam between the API and what implements it. */
    private static final Set<String> API_TO_RUNTIME =
            Set.of("io/mely/Mely.java", "io/mely/MelyBuilder.java", "io/mely/Policy.java", "io/mely/Color.java");

    private static final Pattern COMMENT_OR_STRING =
            Pattern.compile("\"\"\"(?s:.)*?\"\"\"|\"(?:\\\\.|[^\"\\\\])*\"|//[^\n]*|/\\*(?s:.)*?\\*/");
    private static final Pattern MELY_TYPE = Pattern.compile("\\bio\\.mely\\.((?:[a-z]\\w*\\.)*)[A-Z]");

    private static final Map<String, String> CODE = new TreeMap<>(); // by path, without comments and strings

    @BeforeAll
    static void read() throws IOException {
        for (Path file : javaFiles(MAIN)) {
            String code = COMMENT_OR_STRING.matcher(Files.readString(file)).replaceAll(" ");
            CODE.put(MAIN.relativize(file).toString(), code);
        }
        assertThat(CODE).hasSizeGreaterThan(30);
    }

    private static List<Path> javaFiles(Path root) throws IOException {
        try (Stream<Path> files = Files.walk(root)) {
            return files.filter(file -> file.toString().endsWith(".java"))
                    .sorted()
                    .toList();
        }
    }

    private static String packageOf(String file) {
        Path folder = Path.of("io/mely").relativize(Path.of(file).getParent());
        return folder.toString().replace('/', '.');
    }

    @Test
    void packages_dependDownwardsOnly() {
        List<String> wrong = new ArrayList<>();
        CODE.forEach((file, code) -> {
            if (file.equals("module-info.java")) {
                return;
            }
            String from = packageOf(file);
            assertThat(MAY_USE)
                    .as("a package needs its place in the order: %s", file)
                    .containsKey(from);
            Matcher type = MELY_TYPE.matcher(code);
            while (type.find()) {
                String to = type.group(1).replaceAll("\\.$", "");
                boolean isAllowed = to.equals(from)
                        || MAY_USE.get(from).contains(to)
                        || (to.equals("runtime") && API_TO_RUNTIME.contains(file));
                if (!isAllowed) {
                    wrong.add(file + " uses io.mely." + to);
                }
            }
        });
        assertThat(wrong).isEmpty();
    }

    // Color reaches the runtime by one call and no more.
    @Test
    void color_callsTheRuntimeOnce() {
        assertThat(CODE.get("io/mely/Color.java").split("io\\.mely\\.runtime", -1))
                .hasSize(2);
    }

    @Test
    void clocks_areReadByTheRuntimeAndTheSpi() {
        banned(
                "System\\s*(\\.|::)\\s*(nanoTime|currentTimeMillis)",
                file -> file.startsWith("io/mely/runtime/") || file.startsWith("io/mely/spi/"));
        banned("Instant\\s*\\.\\s*now|Clock\\s*\\.\\s*system", file -> false);
    }

    @Test
    void chance_isPassedIn() {
        banned("ThreadLocalRandom", file -> file.equals("io/mely/runtime/ColorTable.java"));
        banned("Math\\s*\\.\\s*random|new\\s+(Secure)?Random\\b|identityHashCode", file -> false);
    }

    @Test
    void nobodySleeps() {
        banned("Thread\\s*\\.\\s*sleep|TimeUnit\\s*\\.\\s*\\w+\\s*\\.\\s*sleep", file -> false);
    }

    @Test
    void nobodyPrints() {
        banned("System\\s*\\.\\s*(out|err)\\b|printStackTrace\\s*\\(\\s*\\)", file -> false);
    }

    @Test
    void threadsAreStartedByTheRuntimeOnly() {
        banned("new\\s+Thread\\s*\\(", file -> file.startsWith("io/mely/runtime/"));
    }

    // Tests wait for conditions, in one place.
    @Test
    void tests_doNotSleep() throws IOException {
        List<String> wrong = new ArrayList<>();
        for (Path file : javaFiles(TEST)) {
            String code = COMMENT_OR_STRING.matcher(Files.readString(file)).replaceAll(" ");
            if (Pattern.compile("Thread\\s*\\.\\s*sleep").matcher(code).find()) {
                wrong.add(file.toString());
            }
        }
        assertThat(wrong).isEmpty();
    }

    @Test
    void everyFile_saysItsLicence() throws IOException {
        List<Path> without = new ArrayList<>();
        for (Path root : new Path[] {MAIN, TEST, STRESS}) {
            for (Path file : javaFiles(root)) {
                if (!Files.readString(file).startsWith(HEADER)) {
                    without.add(file);
                }
            }
        }
        assertThat(without).isEmpty();
    }

    @Test
    void everyPackage_isNullMarked() {
        Set<String> packages = new java.util.TreeSet<>();
        CODE.keySet().stream().filter(file -> file.contains("/")).forEach(file -> packages.add(packageOf(file)));
        for (String name : packages) {
            String info = ("io/mely/" + name.replace('.', '/') + "/package-info.java").replace("//", "/");
            assertThat(CODE).containsKey(info);
            assertThat(CODE.get(info)).contains("@NullMarked");
        }
    }

    private static void banned(String pattern, java.util.function.Predicate<String> isAllowed) {
        Pattern banned = Pattern.compile(pattern);
        List<String> wrong = new ArrayList<>();
        CODE.forEach((file, code) -> {
            if (banned.matcher(code).find() && !isAllowed.test(file)) {
                wrong.add(file);
            }
        });
        assertThat(wrong).as("banned: %s", pattern).isEmpty();
    }
}
