// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.rules;

import java.util.List;

/**
 * What an operator may say about paths before files are looked for. Of several rules of a kind the first that matches counts. Immutable.
 *
 * <p><b>Threads.</b> Any. <b>Errors.</b> {@link IllegalArgumentException} naming the field and its length.
 *
 * @param redirects send clients elsewhere
 * @param rewrites answer with what is at another path
 * @param access who is answered 403, by address; without a rule that matches nobody is
 * @param logins where a name and a password are asked for
 */
public record GateRules(
        List<Redirect> redirects, List<Rewrite> rewrites, List<AccessRule> access, List<LoginRule> logins) {
    /** All paths are open, and lead to themselves. */
    public static final GateRules NONE = new GateRules(List.of(), List.of(), List.of(), List.of());

    /** Checks the lengths. */
    public GateRules {
        redirects = List.copyOf(redirects);
        rewrites = List.copyOf(rewrites);
        access = List.copyOf(access);
        logins = List.copyOf(logins);
        check("redirects", redirects.size(), Redirect.RULES_MAX);
        check("rewrites", rewrites.size(), Rewrite.RULES_MAX);
        check("access", access.size(), AccessRule.RULES_MAX);
        check("logins", logins.size(), LoginRule.RULES_MAX);
    }

    private static void check(String field, int size, int most) {
        if (size > most) {
            throw new IllegalArgumentException(field + " must be at most " + most + " rules: " + field + "=" + size);
        }
    }
}
