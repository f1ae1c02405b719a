// SPDX-License-Identifier: Apache-2.0
package io.mely.search.index;

import java.util.LinkedHashSet;
import java.util.Set;
import org.apache.commons.codec.language.DoubleMetaphone;

/**
 * How English words sound, by Double Metaphone.
 *
 * <p><b>Threads.</b> Any. <b>Source.</b> spec: stages §10.1, stage 7.
 */
final class Sounds {
    /** With the usual four letters hundreds of words of a large dictionary sound alike; with six some twenty. */
    private static final int CODE_LETTERS = 6;

    private static final DoubleMetaphone CODER = new DoubleMetaphone();

    static {
        CODER.setMaxCodeLen(CODE_LETTERS);
    }

    private Sounds() {}

    /** One code, or two if a word may be pronounced in two ways; none for what has no letters. */
    static Set<String> of(String word) {
        Set<String> codes = new LinkedHashSet<>();
        for (boolean isAlternate : new boolean[] {false, true}) {
            String code = CODER.doubleMetaphone(word, isAlternate);
            if (code != null && !code.isEmpty()) {
                codes.add(code);
            }
        }
        return codes;
    }
}
