// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.sftp;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Conversations of mutated packets, by seed: {@code -Dmely.argLine=-Dmely.fuzz.seed=N} repeats one, {@code -Dmely.fuzz.rounds=N} tries more.
 *
 * <p>Properties: those of {@link Conversation}.
 */
@Tag("any-jdk")
class SftpMutationTest {
    private static final int ROUNDS = 1_000;
    private static final int ROUNDS_SLOW = 500_000; // some hour

    /** Numbers that are near a bound. */
    private static final long[] NUMBERS = {
        0, 1, 4, 5, 8, 255, 1 << 15, 1 << 18, 1 << 20, Integer.MAX_VALUE, -1, Long.MAX_VALUE
    };

    @TempDir
    Path temp;

    /** Some packets of some conversations, each perhaps with a change; the lengths fit unless they are what is changed. */
    private static byte[] mutate(List<byte[]> corpus, SplittableRandom random) {
        byte[] stream = pick(corpus, random).clone();
        if (random.nextInt(3) == 0) {
            byte[] more = pick(corpus, random);
            int length = stream.length;
            stream = Arrays.copyOf(stream, length + more.length);
            System.arraycopy(more, 0, stream, length, more.length);
        }
        for (int edits = random.nextInt(6); edits > 0; edits--) {
            int at = random.nextInt(stream.length);
            switch (random.nextInt(5)) {
                case 0 -> stream[at] = (byte) random.nextInt(256);
                case 1 -> stream[at] ^= (byte) (1 << random.nextInt(8));
                case 2 -> put(stream, at, NUMBERS[random.nextInt(NUMBERS.length)], Integer.BYTES);
                case 3 -> put(stream, at, NUMBERS[random.nextInt(NUMBERS.length)], Long.BYTES);
                default -> stream = random.nextInt(4) == 0 ? Arrays.copyOf(stream, at + 1) : swapped(stream, random);
            }
        }
        return stream;
    }

    private static void put(byte[] stream, int at, long number, int bytes) {
        for (int i = 0; i < bytes && at + i < stream.length; i++) {
            stream[at + i] = (byte) (number >> 8 * (bytes - 1 - i));
        }
    }

    /** A piece is repeated over another. */
    private static byte[] swapped(byte[] stream, SplittableRandom random) {
        int length = 1 + random.nextInt(Math.min(40, stream.length));
        int from = random.nextInt(stream.length - length + 1);
        int to = random.nextInt(stream.length - length + 1);
        byte[] changed = stream.clone();
        System.arraycopy(stream, from, changed, to, length);
        return changed;
    }

    private static byte[] pick(List<byte[]> corpus, SplittableRandom random) {
        return corpus.get(random.nextInt(corpus.size()));
    }

    private void fuzz(int rounds) throws IOException {
        List<byte[]> corpus = SftpCorpus.streams();
        Long only = Long.getLong("mely.fuzz.seed");
        long first = only != null ? only : System.nanoTime();
        Set<String> kinds = new HashSet<>();
        for (long seed = first; seed < first + (only != null ? 1 : rounds); seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            byte[] stream = mutate(corpus, random);
            try {
                Path folder = Files.createDirectory(temp.resolve(String.valueOf(seed)));
                List<String> whole = Conversation.have(Files.createDirectory(folder.resolve("1")), stream, null);
                List<String> split = Conversation.have(Files.createDirectory(folder.resolve("2")), stream, random);
                assertThat(split).isEqualTo(whole);
                whole.forEach(each -> kinds.add(each.replaceFirst(" -?\\d+", "")));
                Files.delete(folder.resolve("1"));
                Files.delete(folder.resolve("2"));
                Files.delete(folder);
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed " + seed + ": " + Arrays.toString(stream), e);
            }
        }
        if (only == null) {
            // A fuzzer whose requests are all refused, or none, tests nothing.
            assertThat(kinds)
                    .contains(
                            String.valueOf(Sftp.HANDLE),
                            String.valueOf(Sftp.DATA),
                            String.valueOf(Sftp.NAME),
                            String.valueOf(Sftp.ATTRS),
                            Sftp.STATUS + " " + Sftp.OK,
                            Sftp.STATUS + " " + Sftp.END_OF_FILE,
                            Sftp.STATUS + " " + Sftp.NO_SUCH_FILE,
                            Sftp.STATUS + " " + Sftp.FAILURE,
                            Sftp.STATUS + " " + Sftp.BAD_MESSAGE);
        }
    }

    @Test
    void conversations_mutated_areAnsweredAlike() throws IOException {
        fuzz(Integer.getInteger("mely.fuzz.rounds", ROUNDS));
    }

    @Test
    @Tag("slow")
    void conversations_mutated_areAnsweredAlike_campaign() throws IOException {
        fuzz(ROUNDS_SLOW);
    }
}
