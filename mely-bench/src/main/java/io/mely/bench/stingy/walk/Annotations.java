// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stingy.walk;

import io.mely.bench.stingy.walk.Rules.Kind;
import io.mely.bench.stingy.walk.Rules.Rule;
import io.mely.deploy.Block;
import io.mely.deploy.Nearest;
import io.mely.deploy.stingy.HoconFile;
import io.mely.deploy.stingy.HoconFile.WrongFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What people say of a program that its classes do not show.
 *
 * <pre>
 *   annotations {
 *     methods {
 *       "shop.Pool.take" { does = allocate, argument = 1 }     # of an instance method the object is argument 0
 *       "shop.Pool.give" { does = free, argument = 1 }
 *     }
 *     sizes  { "Door.open:41" = 4096 }                         # of the buffer that is allocated there
 *     counts { "Door.open:41" = 1 }                            # so many a request has at most
 *     sends  { "Bell.ring:12" = [Answer] }                     # who gets the event that is sent there
 *     frees  { "Door.shut:50" = ["Door.open:41"] }             # which buffer is released there
 *     calls  { "Loop.turn:7" = ["Plugin.act"] }                # what runs there
 *   }
 * </pre>
 *
 * <p>Places are written as the analysis writes them: class without package, method, line.
 *
 * @param methods calls that mean something
 * @param sizes bytes by place
 * @param counts instances by place
 * @param sends stages by place
 * @param frees buffers by place
 * @param calls methods by place
 */
record Annotations(
        List<Rule> methods,
        SortedMap<String, Integer> sizes,
        SortedMap<String, Integer> counts,
        SortedMap<String, List<String>> sends,
        SortedMap<String, List<String>> frees,
        SortedMap<String, List<String>> calls) {
    private static final List<String> DOES =
            Arrays.stream(Kind.values()).map(Annotations::word).toList();

    /** Nothing is said. */
    static Annotations none() {
        return new Annotations(
                List.of(), new TreeMap<>(), new TreeMap<>(), new TreeMap<>(), new TreeMap<>(), new TreeMap<>());
    }

    /**
     * Reads a file.
     *
     * @param file its path
     * @return what it says
     * @throws WrongFileException naming file, line and key of each problem
     */
    static Annotations read(Path file) throws WrongFileException {
        return HoconFile.read(file, "annotations", Annotations::of);
    }

    private static String word(Kind kind) {
        return kind.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static Annotations of(Block root) {
        List<Rule> methods = new ArrayList<>();
        HoconFile.forEach(root.has("methods") ? root.block("methods") : null, (name, block) -> {
            int dot = name.lastIndexOf('.');
            String word = block.text("does", "");
            if (dot <= 0) {
                block.wrong("", "must be a class with its package, a dot and a method");
            } else if (!DOES.contains(word)) {
                block.wrong("does", "'" + word + "' is unknown; the nearest is " + Nearest.to(word, DOES));
            } else {
                methods.add(new Rule(
                        Kind.valueOf(word.toUpperCase(Locale.ROOT).replace('-', '_')),
                        name.substring(0, dot).replace('.', '/'),
                        name.substring(dot + 1),
                        "",
                        block.number("argument", -1),
                        block.number("handler", -1)));
            }
        });
        return new Annotations(
                methods,
                HoconFile.counts(root, "sizes"),
                HoconFile.counts(root, "counts"),
                lists(root, "sends"),
                lists(root, "frees"),
                lists(root, "calls"));
    }

    private static SortedMap<String, List<String>> lists(Block root, String key) {
        SortedMap<String, List<String>> lists = new TreeMap<>();
        Block block = root.has(key) ? root.block(key) : null;
        if (block != null) {
            for (String place : new TreeSet<>(block.names())) {
                lists.put(place, block.texts(place));
            }
        }
        return lists;
    }
}
