// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.files;

import io.mely.sws.http.Cors;
import io.mely.sws.http.HeaderRule;
import java.util.List;

/**
 * Which file answers a path, beyond the plain one, and what is said of it.
 *
 * @param trySuffixes added to a path that leads to no file, in order
 * @param withheld what is never served
 * @param types in the place of those of the table; the last that matches counts
 * @param isNosniff whether browsers are told to take the type for what it is
 * @param always fields of the answers that are made of no file, too
 * @param cors what pages of other origins may read
 */
public record FileRules(
        List<String> trySuffixes,
        Withheld withheld,
        List<TypeRule> types,
        boolean isNosniff,
        List<HeaderRule> always,
        Cors cors) {
    /** The plain file, and nothing withheld but what a JVM leaves behind. */
    public static final FileRules NONE =
            new FileRules(List.of(), new Withheld(List.of(), List.of()), List.of(), true, List.of(), Cors.NONE);
}
