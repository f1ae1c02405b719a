// SPDX-License-Identifier: Apache-2.0
package io.mely.search.index;

/** Names of what Lucene keeps of a page, in the folder {@link SearchIndex#lucene}. */
public final class Fields {
    /** The whole title, as written. */
    public static final String TITLE = "title";

    /** The whole title, in lower case. */
    public static final String LOWER_TITLE = "lower-title";

    /** Stems of the title. */
    public static final String TITLE_STEMS = "title-stems";

    /** Stems of title and text. */
    public static final String STEMS = "stems";

    /** Words in lower case, for the spell check. */
    public static final String WORDS = "words";

    /** The title, to be shown. */
    public static final String SHOWN_TITLE = "shown-title";

    /** Where the page is. */
    public static final String ADDRESS = "address";

    /** The begin of its text. */
    public static final String TEXT = "text";

    /** Of words that sound alike, in their own index. */
    static final String SOUND = "sound";

    static final String WORD = "word";
    static final String PAGES = "pages";

    private Fields() {}
}
