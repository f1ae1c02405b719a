// SPDX-License-Identifier: Apache-2.0
package io.mely.search.corpus;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Pages to be indexed. */
public interface Corpus {
    /** A page that is still to be read: a file, or a place in one. Read once, by any thread. */
    @FunctionalInterface
    interface Source {
        /**
         * Reads it.
         *
         * @return null if it is no page
         * @throws IOException if it can't be read
         */
        @Nullable
        Page read() throws IOException;
    }

    /** Takes sources, and may make its caller wait. */
    @FunctionalInterface
    interface Sink {
        /**
         * Takes one.
         *
         * @param source to be read
         * @throws IOException if no more are taken
         */
        void take(Source source) throws IOException;
    }

    /**
     * Names all sources, always in the same order.
     *
     * @param sink takes them
     * @throws IOException if they can't be listed, or what the sink throws
     */
    void sources(Sink sink) throws IOException;

    /**
     * Opens a corpus: a folder of HTML, Markdown and text files, or the {@code .index} file of a dictionary in dictd's format, beside its {@code .dict.dz} or {@code .dict}.
     *
     * @param path of either
     * @return the corpus
     * @throws IOException if it is neither
     */
    static Corpus open(Path path) throws IOException {
        if (Files.isDirectory(path)) {
            return new SiteFolder(path);
        }
        if (path.toString().endsWith(".index")) {
            return Dictionary.open(path);
        }
        throw new IOException("neither a folder nor a dictionary's .index file: " + path);
    }

    /**
     * Made-up pages about animals, the same each time.
     *
     * @param pages how many
     * @return the corpus
     */
    static Corpus demo(int pages) {
        return new Demo(pages);
    }
}
