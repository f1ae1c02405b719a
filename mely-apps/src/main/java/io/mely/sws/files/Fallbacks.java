// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.files;

import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the file for a path that leads to nothing. The longest prefix wins. Hidden names have none, and neither have names that end
 * like those of assets: a page in the place of a missing script or picture only hides that it is missing.
 *
 * <p><b>Threads.</b> Any; immutable. <b>Costs.</b> A comparison a rule; allocates a name. Only for what is not found.
 */
public final class Fallbacks {
    private static final String HTML = "html";

    private static final class Rule {
        private final String prefix;
        private final byte[] file;

        Rule(Fallback fallback) {
            prefix = fallback.prefix();
            file = fallback.file().getBytes(StandardCharsets.UTF_8);
        }
    }

    private final List<Rule> rules;
    private final MimeTypes types;

    /**
     * Makes them.
     *
     * @param rules in any order
     */
    public Fallbacks(List<Fallback> rules) {
        types = MimeTypes.bundled();
        this.rules = rules.stream()
                .sorted(Comparator.comparingInt(
                        (Fallback rule) -> -rule.prefix().length()))
                .map(Rule::new)
                .toList();
    }

    /**
     * Finds the file.
     *
     * @param path of the request
     * @return its path; null if there is none
     */
    public byte @Nullable [] of(RequestPath path) {
        Rule rule = path.isHidden() ? null : ruleOf(path.toString());
        return rule == null ? null : rule.file;
    }

    /**
     * Finds the file of a path that may be hidden.
     *
     * @param path canonical, decoded
     * @return its path; null if there is none
     */
    public @Nullable String of(String path) {
        Rule rule = ruleOf(path);
        return rule == null ? null : new String(rule.file, StandardCharsets.UTF_8);
    }

    private @Nullable Rule ruleOf(String path) {
        if (isAsset(path)) {
            return null;
        }
        for (Rule rule : rules) {
            if (path.startsWith(rule.prefix)) {
                return rule;
            }
        }
        return null;
    }

    private boolean isAsset(String path) {
        String name = path.substring(path.lastIndexOf('/') + 1);
        return types.isKnown(name) && !types.of(name).contains(HTML);
    }
}
