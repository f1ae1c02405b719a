// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.files;

import java.util.List;

/**
 * Which file answers a path, beyond the plain one.
 *
 * @param trySuffixes added to a path that leads to no file, in order
 * @param withheld what is never served
 */
public record FileRules(List<String> trySuffixes, Withheld withheld) {
    /** The plain file, and nothing withheld but what a JVM leaves behind. */
    public static final FileRules NONE = new FileRules(List.of(), new Withheld(List.of(), List.of()));
}
