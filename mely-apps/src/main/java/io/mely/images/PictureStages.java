// SPDX-License-Identifier: Apache-2.0
package io.mely.images;

import io.mely.Color;
import io.mely.Stage;
import io.mely.StageOptions;
import io.mely.deploy.StageFactory;
import io.mely.images.Work.Blurring;
import io.mely.images.Work.Encoding;
import io.mely.images.Work.Filing;
import io.mely.images.Work.Scaling;
import io.mely.images.picture.BoxBlur;
import io.mely.images.picture.PictureFormat;
import io.mely.images.picture.PictureWriter;
import io.mely.images.picture.Scaler;
import io.mely.images.store.PictureId;
import io.mely.images.store.Store;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The stages Scaler, Blurrer, Encoder, Statistics and DiskWriter: a picture behind the answer, until its last file is written.
 *
 * <p>The scaler hands each version to itself as the source of the next smaller one, so the picture in its full size is let go after the first.
 *
 * <p><b>Threads.</b> {@link #begin}, {@link #inWork} and {@link #fail}: any.
 */
final class PictureStages {
    private static final Logger LOG = System.getLogger(PictureStages.class.getName());

    private final LongFunction<Color> colors;
    private final Recipe recipe;
    private final float quality;
    private final PixelBudget budget;
    private final Store store;
    private final Underway underway;
    private final Statistics statistics;
    private final Map<PictureId, Picture> pictures = new ConcurrentHashMap<>(); // in work
    private final Stage<Scaling> scaler;
    private final Stage<Blurring> blurrer;
    private final Stage<Encoding> encoder;
    private final Stage<Statistics.Encoded> counter;
    private final Stage<Filing> diskWriter;

    PictureStages(
            StageFactory stages,
            LongFunction<Color> colors,
            Recipe recipe,
            PixelBudget budget,
            Store store,
            Underway underway,
            Statistics statistics) {
        this.colors = colors;
        this.recipe = recipe;
        this.budget = budget;
        this.store = store;
        this.underway = underway;
        this.statistics = statistics;
        quality = recipe.qualityPercent() / 100f;
        StageOptions plain = StageOptions.defaults();
        scaler = stages.stage("Scaler", plain, this::scale);
        blurrer = stages.stage("Blurrer", plain, this::blur);
        encoder = stages.stage("Encoder", plain, this::encode);
        counter = stages.stage("Statistics", plain.asSingleThreaded(), this::count);
        diskWriter = stages.stage("DiskWriter", plain.withGroup(ImageStages.DISK_GROUP), this::write);
    }

    private void count(Statistics.Encoded encoded) {
        statistics.add(encoded, System.nanoTime());
    }

    /** A picture in work; null if there is none of that name. */
    @Nullable
    Picture inWork(PictureId id) {
        return pictures.get(id);
    }

    /** Begins one that is decoded. */
    void begin(Picture picture) {
        underway.begin();
        pictures.put(picture.id, picture);
        send(scaler, new Scaling(picture, 0));
    }

    private <W extends Work> void send(Stage<W> to, W work) {
        if (!to.offer(work.picture().color, work)) {
            fail(work.picture());
        }
    }

    private <W extends Work> void sendBeside(Stage<W> to, W work, int file) {
        if (!to.offer(colors.apply(work.picture().id.key() + 1 + file), work)) {
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

    void end(Picture picture) {
        pictures.remove(picture.id, picture); // not one of the same name that has begun since
        budget.giveBack(picture.memoryBytes);
        underway.end();
    }
}
