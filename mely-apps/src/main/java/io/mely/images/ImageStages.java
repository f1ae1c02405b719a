// SPDX-License-Identifier: Apache-2.0
package io.mely.images;

import io.mely.Mely;
import io.mely.Stage;
import io.mely.StageOptions;
import io.mely.images.Work.Blurring;
import io.mely.images.Work.Encoding;
import io.mely.images.Work.Filing;
import io.mely.images.Work.Scaling;
import io.mely.images.picture.BoxBlur;
import io.mely.images.picture.PictureException;
import io.mely.images.picture.PictureFormat;
import io.mely.images.picture.PictureLimits;
import io.mely.images.picture.PictureReader;
import io.mely.images.picture.PictureWriter;
import io.mely.images.picture.Scaler;
import io.mely.images.store.Catalogue;
import io.mely.images.store.PictureId;
import io.mely.images.store.Store;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
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
 * <p><b>Threads.</b> {@link #begin}: any. <b>Source.</b> spec: staged servers §9.1. The scaler hands each version to itself as the source of the next smaller one, so
 * the picture in its full size is let go after the first.
 */
final class ImageStages {
    private static final Logger LOG = System.getLogger(ImageStages.class.getName());

    /** The group of the stage that writes to the disk. */
    static final String DISK_GROUP = "disk";

    /** Names of the stages, for deployment files. */
    static final List<String> NAMES =
            List.of("FormParser", "Decoder", "Scaler", "Blurrer", "Encoder", "Statistics", "DiskWriter");

    private final Mely mely;
    private final Recipe recipe;
    private final float quality;
    private final PictureLimits limits;
    private final FormReader forms;
    private final PixelBudget budget;
    private final Store store;
    private final Underway underway = new Underway();
    private final Map<PictureId, Picture> pictures = new ConcurrentHashMap<>(); // in work
    private final Statistics statistics = new Statistics(System.nanoTime());

    private final Stage<Upload> formParser;
    private final Stage<Upload> decoder;
    private final Stage<Scaling> scaler;
    private final Stage<Blurring> blurrer;
    private final Stage<Encoding> encoder;
    private final Stage<Statistics.Encoded> counter;
    private final Stage<Filing> diskWriter;

    ImageStages(Mely mely, Recipe recipe, PictureLimits limits, FormReader forms, PixelBudget budget, Store store) {
        this.mely = mely;
        this.recipe = recipe;
        this.limits = limits;
        this.forms = forms;
        this.budget = budget;
        this.store = store;
        quality = recipe.qualityPercent() / 100f;
        formParser = mely.stage("FormParser", this::parse);
        decoder = mely.stage("Decoder", this::decode);
        scaler = mely.stage("Scaler", this::scale);
        blurrer = mely.stage("Blurrer", this::blur);
        encoder = mely.stage("Encoder", this::encode);
        counter = mely.stage("Statistics", StageOptions.defaults().asSingleThreaded(), encoded -> {
            statistics.add(encoded, System.nanoTime());
        });
        diskWriter = mely.stage("DiskWriter", StageOptions.defaults().withGroup(DISK_GROUP), this::write);
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
        return pictures.get(id);
    }

    // ------------------------------------------------------------------ uploads, up to the answer

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
            upload.files = forms.files(upload.request);
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
        if (!store.catalogue().begin(opened.id())) {
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
        Picture picture =
                new Picture(opened, mely.color(opened.id().key()), image, source.content().length, recipe.files());
        upload.takenBytes = 0; // the picture's from here on
        underway.begin();
        pictures.put(picture.id, picture);
        send(scaler, new Scaling(picture, 0));
    }

    private static Outcome busy(Source source) {
        return Outcome.refused(source.name(), 503, "too many pictures are in work");
    }

    /** Of a picture that needs no decoding any more; null if it does. */
    private @Nullable Outcome known(Source source, PictureId id) {
        Catalogue.State state = store.catalogue().state(id);
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
    private void fail(Upload upload, int status, String error) {
        giveBack(upload);
        upload.closeReader();
        upload.refuse(status, error);
    }

    // ------------------------------------------------------------------ pictures, behind the answer

    private <W extends Work> void send(Stage<W> to, W work) {
        if (!to.offer(work.picture().color, work)) {
            fail(work.picture());
        }
    }

    private <W extends Work> void sendBeside(Stage<W> to, W work, int file) {
        if (!to.offer(mely.color(work.picture().id.key() + 1 + file), work)) {
            fail(work.picture());
        }
    }

    private void scale(Scaling work) {
        Picture picture = work.picture();
        if (picture.isFailed()) {
            return;
        }
        Version version = recipe.versions().get(work.version());
        BufferedImage scaled = Scaler.scale(picture.image, version.side());
        if (work.version() == 0) {
            scaled = picture.orientation.apply(scaled);
        }
        picture.image = scaled;
        if (version.blur() > 0) {
            sendBeside(blurrer, new Blurring(picture, work.version(), scaled), file(work.version(), 0));
        } else {
            encodeAll(picture, work.version(), scaled);
        }
        if (work.version() + 1 < recipe.versions().size()) {
            send(scaler, new Scaling(picture, work.version() + 1));
        }
    }

    private void blur(Blurring work) {
        if (!work.picture().isFailed()) {
            int radius = recipe.versions().get(work.version()).blur();
            encodeAll(work.picture(), work.version(), BoxBlur.blur(work.image(), radius));
        }
    }

    private void encodeAll(Picture picture, int version, BufferedImage image) {
        for (int format = 0; format < recipe.formats().size(); format++) {
            sendBeside(
                    encoder,
                    new Encoding(picture, version, image, recipe.formats().get(format)),
                    file(version, format));
        }
    }

    private int file(int version, int format) {
        return version * recipe.formats().size() + format;
    }

    private void encode(Encoding work) {
        Picture picture = work.picture();
        if (picture.isFailed()) {
            return;
        }
        PictureFormat format = work.format();
        BufferedImage image = work.image();
        byte[] content = PictureWriter.write(image, format, quality);
        counter.offer(new Statistics.Encoded(picture.count() ? picture.sourceBytes : 0, content.length));
        String version = recipe.versions().get(work.version()).name();
        Picture.Ready file = new Picture.Ready(
                version, version + "." + format.extension(), image.getWidth(), image.getHeight(), content.length);
        send(diskWriter, new Filing(picture, file, content));
    }

    private void write(Filing work) {
        Picture picture = work.picture();
        Picture.Ready file = work.file();
        if (file == null) {
            store.fail(picture.id);
            end(picture);
        } else if (!picture.isFailed()) {
            try {
                writeFile(picture, file, work.content());
            } catch (IOException e) {
                LOG.log(Level.WARNING, "not written: " + picture + ", " + file.file(), e);
                fail(picture);
            }
        }
    }

    private void writeFile(Picture picture, Picture.Ready file, byte[] content) throws IOException {
        store.write(picture.id, file.file(), content);
        if (picture.add(file)) {
            store.finish(picture.id, picture.status("finished"));
            end(picture);
        }
    }

    /** Gives a picture up. Its files are removed behind what the disk writer still has of it. */
    void fail(Picture picture) {
        if (picture.fail() && !diskWriter.offer(picture.color, new Filing(picture, null, new byte[0]))) {
            end(picture); // closing: the store removes what is not finished
        }
    }

    private void end(Picture picture) {
        pictures.remove(picture.id, picture); // not one of the same name that has begun since
        budget.giveBack(picture.memoryBytes);
        underway.end();
    }

    /** A handler has failed, with an event of these stages. */
    void failed(Object event, Throwable cause) {
        boolean isShortOfMemory = cause instanceof OutOfMemoryError;
        if (event instanceof Upload upload) {
            fail(upload, isShortOfMemory ? 503 : 500, isShortOfMemory ? "no memory is left now" : "the server failed");
        } else if (event instanceof Filing filing && filing.file() == null) {
            end(filing.picture());
        } else if (event instanceof Work work) {
            fail(work.picture());
        }
    }
}
