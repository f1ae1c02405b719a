// SPDX-License-Identifier: Apache-2.0
package io.mely.search.corpus;

import java.io.IOException;
import java.util.List;
import java.util.SplittableRandom;

/** Made-up pages: a description of some animal, in some place, by somebody. The same at each run. */
final class Demo implements Corpus {
    private static final List<String> KINDS = List.of(
            "heron",
            "otter",
            "badger",
            "lynx",
            "falcon",
            "salmon",
            "beetle",
            "newt",
            "swallow",
            "hedgehog",
            "marten",
            "cormorant",
            "viper",
            "dormouse",
            "kestrel",
            "trout");
    private static final List<String> LOOKS = List.of(
            "grey",
            "spotted",
            "northern",
            "common",
            "great",
            "lesser",
            "golden",
            "marsh",
            "mountain",
            "striped",
            "black",
            "silent");
    private static final List<String> PLACES = List.of(
            "the river",
            "an old quarry",
            "the salt marsh",
            "a beech forest",
            "the harbour",
            "a mountain lake",
            "the railway bridge",
            "a field of barley",
            "the abandoned mill",
            "a peat bog");
    private static final List<String> DEEDS = List.of(
            "hunts at dusk",
            "sleeps through the winter",
            "builds its nest",
            "feeds its young",
            "hides under stones",
            "waits for fish",
            "sings before sunrise",
            "crosses the road at night",
            "is rarely seen",
            "returns every spring");
    private static final List<String> PEOPLE = List.of(
            "the lighthouse keeper",
            "a schoolteacher",
            "the night watchman",
            "two students",
            "a retired engineer",
            "the ferryman");

    private final int pages;

    Demo(int pages) {
        this.pages = pages;
    }

    private static String any(SplittableRandom random, List<String> words) {
        return words.get(random.nextInt(words.size()));
    }

    @Override
    public void sources(Sink sink) throws IOException {
        SplittableRandom random = new SplittableRandom(2026);
        for (int i = 1; i <= pages; i++) {
            String animal = any(random, LOOKS) + " " + any(random, KINDS);
            String title = Character.toUpperCase(animal.charAt(0)) + animal.substring(1) + ", observation " + i;
            StringBuilder text = new StringBuilder();
            for (int sentence = 0; sentence < 6; sentence++) {
                text.append("Near ")
                        .append(any(random, PLACES))
                        .append(" the ")
                        .append(sentence % 2 == 0 ? animal : any(random, LOOKS) + " " + any(random, KINDS))
                        .append(' ')
                        .append(any(random, DEEDS))
                        .append(", as ")
                        .append(any(random, PEOPLE))
                        .append(" wrote to us. ");
            }
            sink.take(() -> new Page(title, "", text.toString().strip()));
        }
    }
}
