// SPDX-License-Identifier: Apache-2.0
package io.mely.search.index;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.CharArraySet;
import org.apache.lucene.analysis.LowerCaseFilter;
import org.apache.lucene.analysis.StopFilter;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.Tokenizer;
import org.apache.lucene.analysis.core.KeywordTokenizer;
import org.apache.lucene.analysis.en.EnglishAnalyzer;
import org.apache.lucene.analysis.en.PorterStemFilter;
import org.apache.lucene.analysis.standard.StandardTokenizer;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;
import org.apache.lucene.analysis.tokenattributes.OffsetAttribute;

/**
 * How text becomes words: the same for what is indexed and for what is asked.
 *
 * <p><b>Threads.</b> Any.
 */
public final class Words {
    private static final CharArraySet STOP_WORDS = EnglishAnalyzer.getDefaultStopSet();

    /** Words in lower case. */
    static final Analyzer PLAIN = new Analyzer() {
        @Override
        protected TokenStreamComponents createComponents(String field) {
            Tokenizer words = new StandardTokenizer();
            return new TokenStreamComponents(words, new LowerCaseFilter(words));
        }
    };

    /** The same without common words, each reduced to its stem. */
    static final Analyzer STEMS = new Analyzer() {
        @Override
        protected TokenStreamComponents createComponents(String field) {
            Tokenizer words = new StandardTokenizer();
            TokenStream kept = new StopFilter(new LowerCaseFilter(words), STOP_WORDS);
            return new TokenStreamComponents(words, new PorterStemFilter(kept));
        }
    };

    private static final Analyzer STEM = new Analyzer() {
        @Override
        protected TokenStreamComponents createComponents(String field) {
            Tokenizer word = new KeywordTokenizer();
            return new TokenStreamComponents(word, new PorterStemFilter(word));
        }
    };

    private Words() {}

    /**
     * A word of a text.
     *
     * @param text in the form that the index has
     * @param start of its letters in the text
     * @param end behind them
     */
    public record Word(String text, int start, int end) {}

    /**
     * Words in lower case, in their order.
     *
     * @param text any
     * @return all of them
     */
    public static List<String> of(String text) {
        return read(PLAIN, text).stream().map(Word::text).toList();
    }

    /**
     * Words as the index has them, with their places.
     *
     * @param text any
     * @return stems of all but common words
     */
    public static List<Word> stems(String text) {
        return read(STEMS, text);
    }

    /**
     * Whether a word is so common that it is not indexed.
     *
     * @param word in lower case
     * @return true for "the" and the like
     */
    public static boolean isCommon(String word) {
        return STOP_WORDS.contains(word);
    }

    /**
     * The stem of a word.
     *
     * @param word in lower case
     * @return by Porter
     */
    public static String stem(String word) {
        List<Word> stems = read(STEM, word);
        return stems.isEmpty() ? word : stems.get(0).text();
    }

    private static List<Word> read(Analyzer analyzer, String text) {
        List<Word> words = new ArrayList<>();
        try (TokenStream tokens = analyzer.tokenStream("", text)) {
            CharTermAttribute term = tokens.addAttribute(CharTermAttribute.class);
            OffsetAttribute place = tokens.addAttribute(OffsetAttribute.class);
            tokens.reset();
            while (tokens.incrementToken()) {
                words.add(new Word(term.toString(), place.startOffset(), place.endOffset()));
            }
            tokens.end();
        } catch (IOException e) {
            throw new UncheckedIOException(e); // of a text in memory
        }
        return words;
    }
}
