// SPDX-License-Identifier: Apache-2.0
package io.mely.images;

import io.mely.Color;
import io.mely.deploy.StageFactory;
import io.mely.images.picture.PictureLimits;
import io.mely.images.store.PictureId;
import io.mely.images.store.Store;
import java.util.List;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The stages of the image server, connected.
 *
 * <pre>
 *   (SWS) → FormParser → Decoder ──(each file: decoded, or why not)──► the answer
 *                         ▲   │ │
 *             the next file   │ └── waits for memory of pictures in work
 *                         └───┘
 *                             ▼
 *                          Scaler ◄─┐ the next smaller version
 *                          │   │  └─┘
 *          to be blurred   ▼   ▼
 *                    Blurrer → Encoder ──► Statistics
 *                                 │
 *                                 ▼
 *                            DiskWriter (in its own group: it may wait)
 * </pre>
 *
 * <p>An upload has its connection's color, a picture one of its own for scaling and writing, and each file one for blurring and encoding, so the files of a picture are
 * encoded side by side. The answer goes out when all files of an upload are decoded or refused: most errors show there.
 *
 * <p>A picture that is decoded holds a part of the {@link PixelBudget} until its last file is written.
 *
 * <p><b>Threads.</b> {@link #begin}: any. <b>Source.</b> spec: staged servers §9.1.
 */
final class ImageStages {
    /** The group of the stage that writes to the disk. */
    static final String DISK_GROUP = "disk";

    /** Names of the stages, for deployment files. */
    static final List<String> NAMES =
            List.of("FormParser", "Decoder", "Scaler", "Blurrer", "Encoder", "Statistics", "DiskWriter");

    private final Underway underway = new Underway();
    private final Statistics statistics = new Statistics(System.nanoTime());
    private final UploadStages uploads;
    private final PictureStages pictures;

    ImageStages(
            StageFactory stages,
            LongFunction<Color> colors,
            Recipe recipe,
            PictureLimits limits,
            PixelBudget budget,
            Store store) {
        // In the order of the pipeline, by which some policies go.
        uploads = new UploadStages(stages, colors, recipe, limits, budget, store.catalogue(), this::begin);
        pictures = new PictureStages(stages, colors, recipe, budget, store, underway, statistics);
    }

    Statistics statistics() {
        return statistics;
    }

    Underway underway() {
        return underway;
    }

    /** A picture in work; null if there is none of that name. */
    @Nullable
    Picture inWork(PictureId id) {
        return pictures.inWork(id);
    }

    /** Begins to answer an upload. */
    void begin(Upload upload) {
        uploads.begin(upload);
    }

    private void begin(Picture picture) {
        pictures.begin(picture);
    }

    /** A handler has failed, with an event of these stages. */
    void failed(Object event, Throwable cause) {
        boolean isShortOfMemory = cause instanceof OutOfMemoryError;
        if (event instanceof Upload upload) {
            uploads.fail(
                    upload,
                    isShortOfMemory ? 503 : 500,
                    isShortOfMemory ? "no memory is left now" : "the server failed");
        } else if (event instanceof Work.Filing filing && filing.file() == null) {
            pictures.end(filing.picture());
        } else if (event instanceof Work work) {
            pictures.fail(work.picture());
        }
    }
}
