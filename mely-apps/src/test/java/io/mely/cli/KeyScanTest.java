// SPDX-License-Identifier: Apache-2.0
package io.mely.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.ConfigFactory;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class KeyScanTest {
    private static List<String> scan(String text) {
        return KeyScan.keys(text).stream()
                .map(key -> key.line() + " " + key.name())
                .toList();
    }

    // Each form of entry that HOCON knows is found, with its line.
    @Test
    void keys_findsEveryForm() {
        assertThat(scan("""
                        a = 1
                        b: 2 # c = 3
                        // d = 4

                        e { f = 5, g = 6 }
                        h = [ 1
                          , { i = 7 } ]
                        j += 8
                        "k" = "l = 9", m = ""\"
                        n = 10
                        ""\"
                        o
                         = 11
                        p.q = 12
                        r = a/b://x
                        """)).containsExactly("1 a", "2 b", "5 e", "6 h", "8 j", "9 k", "9 m", "13 ", "14 p.q", "15 r");
    }

    // A file may be one big object.
    @Test
    void keys_findsThoseInsideOuterBraces() {
        assertThat(scan("{\n a = 1\n b = { c = 2 }\n}\n")).containsExactly("2 a", "3 b");
    }

    @Test
    void keys_findsIncludes() {
        assertThat(scan("a = 1\n include \"b.conf\"\n")).containsExactly("1 a", "2 include");
    }

    // Against the library: on random texts that it accepts, the scan finds exactly its top-level keys.
    @Test
    void keys_areThoseOfTheLibrary() {
        long seed = Long.getLong("mely.seed", 20261121L);
        Random random = new Random(seed);
        for (int i = 0; i < 500; i++) {
            String text = randomText(random);
            Set<String> expected = ConfigFactory.parseString(text).root().keySet();
            Set<String> found =
                    KeyScan.keys(text).stream().map(KeyScan.Key::name).collect(Collectors.toSet());
            assertThat(found).as("seed %d, text %s", seed, text).isEqualTo(expected);
        }
    }

    private static String randomText(Random random) {
        String[] values = {
            "1",
            "x y",
            "\"s { } = , #\"",
            "\"a \\\" b\"",
            "[1, [2], {a = 3}]",
            "{ a = 1, b { c : 2 } }",
            "30 s",
            "a/b",
            "true"
        };
        String[] ends = {"\n", "\n\n", " # k = 1 {\n", " // k = 1 [\n", ", "};
        String[] separators = {" = ", ":", " += "};
        StringBuilder text = new StringBuilder();
        int entries = 1 + random.nextInt(6);
        for (int i = 0; i < entries; i++) {
            String key = "k" + i;
            text.append(random.nextBoolean() ? key : '"' + key + '"');
            String value = values[random.nextInt(values.length)];
            String separator = separators[random.nextInt(separators.length)];
            text.append(value.startsWith("{") && random.nextBoolean() ? " " : separator)
                    .append(value);
            text.append(i == entries - 1 ? "\n" : ends[random.nextInt(ends.length)]);
        }
        return text.toString();
    }
}
