// SPDX-License-Identifier: Apache-2.0
package io.mely.search.index;

/** Names of what Lucene keeps. */
final class Fields {
    /** The whole title, as written, and in lower case. */
    static final String TITLE = "title";

    static final String LOWER_TITLE = "lower-title";

    /** Stems of the title; of title and text. */
    static final String TITLE_STEMS = "title-stems";

    static final String STEMS = "stems";

    /** Words in lower case, for the spell check. */
    static final String WORDS = "words";

    static final String SHOWN_TITLE = "shown-title";
    static final String ADDRESS = "address";
    static final String TEXT = "text";

    /** Of words that sound alike, in their own index. */
    static final String SOUND = "sound";

    static final String WORD = "word";
    static final String PAGES = "pages";

    private Fields() {}
}
