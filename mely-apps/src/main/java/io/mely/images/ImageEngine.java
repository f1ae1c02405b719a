// SPDX-License-Identifier: Apache-2.0
package io.mely.images;

import io.mely.Color;
import io.mely.deploy.StageFactory;
import io.mely.images.picture.PictureLimits;
import io.mely.images.store.Store;
import io.mely.sws.Answer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.function.LongFunction;

/**
 * The stages of the image server without a server: for experiments with the stages.
 *
 * <p><b>Threads.</b> Any.
 */
public final class ImageEngine implements AutoCloseable {
    /** Statuses below are good ones. */
    private static final int REFUSED = 400;

    private final ImageStages stages;
    private final Store store;

    /**
     * Makes the stages.
     *
     * @param factory of a runtime that is not started and has the group {@code disk}, or of another kind
     * @param colors by key
     * @param recipe what is made of each picture
     * @param folder for the results
     * @param bytesMax memory for pictures in work; uploads wait for it
     * @param waitingMax uploads that may wait; more are refused
     * @throws IOException if the folder can't be used
     */
    public ImageEngine(
            StageFactory factory, LongFunction<Color> colors, Recipe recipe, Path folder, long bytesMax, int waitingMax)
            throws IOException {
        store = Store.open(folder, Long.MAX_VALUE);
        PictureLimits limits = new PictureLimits(Integer.MAX_VALUE, Integer.MAX_VALUE);
        stages = new ImageStages(factory, colors, recipe, limits, new PixelBudget(bytesMax, waitingMax), store);
    }

    /**
     * Names of the stages, in the order of the thesis's figure.
     *
     * @return for deployments
     */
    public static List<String> stageNames() {
        return ImageStages.NAMES;
    }

    /**
     * Takes a picture.
     *
     * @param color of the upload
     * @param picture a file
     * @param answer gets true as soon as the picture is decoded, once; false if it is refused
     */
    public void upload(Color color, byte[] picture, Consumer<Boolean> answer) {
        stages.underway().begin();
        IntConsumer status = code -> answer.accept(code < REFUSED);
        stages.begin(new Upload(new Direct(color, picture, status), stages.underway()::end));
    }

    /** A picture that came by no network. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Direct(Color color, byte[] picture, IntConsumer status) implements Sender {
        @Override
        public long bytes() {
            return picture.length;
        }

        @Override
        public Deque<Source> files() {
            return new ArrayDeque<>(List.of(new Source("", picture)));
        }

        @Override
        public void answer(Answer answer) {
            status.accept(answer.status());
        }
    }

    /**
     * What has left the encoder.
     *
     * @return its counters
     */
    public Statistics statistics() {
        return stages.statistics();
    }

    /**
     * Completed once nothing is in work.
     *
     * @return true
     */
    public CompletableFuture<Boolean> drain() {
        return stages.underway().drain();
    }

    /** When nothing is in work. */
    @Override
    public void close() throws IOException {
        store.close();
    }
}
