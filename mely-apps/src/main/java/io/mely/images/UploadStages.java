// SPDX-License-Identifier: Apache-2.0
package io.mely.images;

import io.mely.Color;
import io.mely.Stage;
import io.mely.StageOptions;
import io.mely.deploy.StageFactory;
import io.mely.images.picture.PictureException;
import io.mely.images.picture.PictureLimits;
import io.mely.images.picture.PictureReader;
import io.mely.images.store.Catalogue;
import io.mely.images.store.PictureId;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The stages FormParser and Decoder: an upload, up to its answer.
 *
 * <p><b>Threads.</b> {@link #begin} and {@link #fail}: any.
 */
final class UploadStages {
    private final LongFunction<Color> colors;
    private final Recipe recipe;
    private final PictureLimits limits;
    private final PixelBudget budget;
    private final Catalogue catalogue;
    private final Consumer<Picture> begun;
    private final Stage<Upload> formParser;
    private final Stage<Upload> decoder;

    /** @param begun gets each picture that is decoded, with its memory */
    UploadStages(
            StageFactory stages,
            LongFunction<Color> colors,
            Recipe recipe,
            PictureLimits limits,
            PixelBudget budget,
            Catalogue catalogue,
            Consumer<Picture> begun) {
        this.colors = colors;
        this.recipe = recipe;
        this.limits = limits;
        this.budget = budget;
        this.catalogue = catalogue;
        this.begun = begun;
        formParser = stages.stage("FormParser", StageOptions.defaults(), this::parse);
        decoder = stages.stage("Decoder", StageOptions.defaults(), this::decode);
    }

    /** Begins to answer one. */
    void begin(Upload upload) {
        send(formParser, upload);
    }

    private static void send(Stage<Upload> to, Upload upload) {
        if (!to.offer(upload.color, upload)) {
            upload.refuse(503, "the server is closing, or has too much to do");
        }
    }

    private void parse(Upload upload) throws IOException {
        try {
            upload.files = upload.sender.files();
            send(decoder, upload);
        } catch (FormException e) {
            upload.refuse(e.status(), String.valueOf(e.getMessage()));
        }
    }

    /** The first file of those that are left; then the next is sent for. */
    private void decode(Upload upload) {
        Source source = upload.files.peek();
        if (source == null) {
            upload.answer();
            return;
        }
        Outcome outcome;
        try {
            outcome = decode(upload, source);
        } catch (PictureException e) {
            giveBack(upload);
            outcome = Outcome.refused(source.name(), e.status(), String.valueOf(e.getMessage()));
        }
        if (outcome != null) {
            upload.add(outcome);
            send(decoder, upload);
        }
    }

    /** Null if it waits for memory, and comes here again. */
    private @Nullable Outcome decode(Upload upload, Source source) throws PictureException {
        if (upload.opened == null) {
            PictureId id = PictureId.of(source.content(), recipe.text());
            Outcome known = known(source, id);
            if (known != null) {
                return known;
            }
            upload.opened = open(source, id);
        }
        Upload.Opened opened = Objects.requireNonNull(upload.opened);
        if (upload.takenBytes == 0) {
            PixelBudget.Grant grant = budget.take(opened.memoryBytes(), () -> resume(upload, opened.memoryBytes()));
            if (grant == PixelBudget.Grant.WAITS) {
                return null;
            }
            if (grant == PixelBudget.Grant.REFUSED) {
                return busy(source);
            }
            upload.takenBytes = opened.memoryBytes();
        }
        BufferedImage image = opened.reader().read();
        if (!catalogue.begin(opened.id())) {
            giveBack(upload); // somebody else was faster
            Outcome known = known(source, opened.id());
            return known == null ? busy(source) : known;
        }
        begin(upload, source, opened, image);
        return new Outcome(source.name(), Outcome.IN_WORK, opened.id(), "");
    }

    private Upload.Opened open(Source source, PictureId id) throws PictureException {
        PictureReader reader = PictureReader.open(source.content(), limits);
        long bytes = reader.memoryBytes() + recipe.memoryBytes(reader.width(), reader.height());
        if (bytes > budget.bytesMax()) {
            reader.close();
            throw new PictureException(413, "too large for this server's memory");
        }
        return new Upload.Opened(id, reader, bytes);
    }

    /** Called by whoever gives memory back, in no color. */
    private void resume(Upload upload, long bytes) {
        upload.takenBytes = bytes; // published by the send
        if (!decoder.offer(upload.color, upload)) {
            fail(upload, 503, "the server is closing, or has too much to do");
        }
    }

    private void begin(Upload upload, Source source, Upload.Opened opened, BufferedImage image) {
        upload.takenBytes = 0; // the picture's from here on
        begun.accept(
                new Picture(opened, colors.apply(opened.id().key()), image, source.content().length, recipe.files()));
    }

    private static Outcome busy(Source source) {
        return Outcome.refused(source.name(), 503, "too many pictures are in work");
    }

    /** Of a picture that needs no decoding any more; null if it does. */
    private @Nullable Outcome known(Source source, PictureId id) {
        Catalogue.State state = catalogue.state(id);
        return switch (state) {
            case FINISHED -> new Outcome(source.name(), Outcome.FINISHED, id, "");
            case IN_WORK -> new Outcome(source.name(), Outcome.IN_WORK, id, "");
            case UNKNOWN, FAILED -> null;
        };
    }

    private void giveBack(Upload upload) {
        long bytes = upload.takenBytes;
        upload.takenBytes = 0;
        if (bytes > 0) {
            budget.giveBack(bytes);
        }
    }

    /** Ends an upload that no stage has any more. */
    void fail(Upload upload, int status, String error) {
        giveBack(upload);
        upload.closeReader();
        upload.refuse(status, error);
    }
}
