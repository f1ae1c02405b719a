// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stages;

import io.mely.Color;
import io.mely.Policy;
import io.mely.bench.paper.CheckFailedException;
import io.mely.cli.TemporaryFolder;
import io.mely.images.ImageEngine;
import io.mely.images.Recipe;
import io.mely.images.Version;
import io.mely.images.picture.PictureFormat;
import io.mely.policy.PoolPolicy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code stages image}: the image server by policy. <b>Source.</b> spec: stages §9. */
@Command(
        name = "image",
        mixinStandardHelpOptions = true,
        description =
                "The stages of images.jar under each policy of the thesis, and the same handlers run by peers. The answer is given when a picture is decoded; what counts is the bytes of pictures whose first version has been encoded.")
final class ImageCommand extends ServerMeasurement {
    private static final long PATIENCE_S = 120;
    private static final double MB = 1e6;
    private static final int QUICK_SET = 20;

    /** One part of so many of the heap is for pictures in work, as in the server. */
    private static final int HEAP_PART = 3;

    /** Two scales and a blurred one, all as JPEG: three versions of each picture, as the thesis has several. */
    private static final Recipe RECIPE = new Recipe(
            List.of(new Version("large", 800, 0), new Version("small", 160, 0), new Version("blurred", 400, 2)),
            List.of(PictureFormat.JPEG),
            80);

    /** Differences of the mean of Table 4.3. */
    private static final Map<String, String> PRINTED = Map.of(
            "mg1", "0.0",
            "cohort", "-0.1",
            "srpt", "-0.1",
            "cohort-stacks", "-1.7",
            "seda", "-14 to -27",
            "seda-over", "-50",
            "thread-per-request", "-68 to -91");

    @Option(
            names = "--pictures",
            description =
                    "A folder of JPEG files, such as stages pictures makes (default: 300 made-up ones, with the sizes of the thesis).")
    private @Nullable Path folder;

    @Option(
            names = "--set",
            description =
                    "Pictures of a run, each once; their bytes count over the time until the last one has its first version (default: ${DEFAULT-VALUE}).")
    private int set = 400;

    private @Nullable Pictures pictures;

    @Override
    void prepare() throws IOException {
        Pictures read = folder == null ? Pictures.made() : Pictures.of(folder);
        pictures = read;
        say(read.sizes());
    }

    @Override
    void check() {
        super.check();
        check(set >= 1, "set must be >= 1");
        set = isQuick() ? Math.min(set, QUICK_SET) : set;
    }

    @Override
    int set() {
        return set;
    }

    @Override
    Contenders contenders(int cores) {
        return new Contenders(
                cores,
                "Decoder",
                List.of("FormParser", "Statistics"),
                Map.of("Scaler", cores, "Blurrer", Math.max(1, cores / 2), "Encoder", cores),
                Map.of("disk", Policy.of("disk", PoolPolicy.shared(1))));
    }

    @Override
    List<String> chosen(Contenders all) {
        return all.names().stream().filter(name -> !name.contains("replicas")).toList();
    }

    @Override
    Service service(Contender contender) throws IOException {
        Path results = Files.createTempDirectory("stages-image");
        ImageEngine engine = new ImageEngine(
                contender.stages(),
                contender::color,
                RECIPE,
                results,
                Runtime.getRuntime().maxMemory() / HEAP_PART,
                Integer.MAX_VALUE);
        Pictures all = pictures;
        if (all == null) {
            throw new IllegalStateException("no pictures");
        }
        return new Uploads(engine, all, results);
    }

    /** Uploads, and the folder of their results, which is deleted. */
    private static final class Uploads implements Service {
        private final ImageEngine engine;
        private final Pictures pictures;
        private final Path results;
        private final AtomicInteger next = new AtomicInteger(); // a picture that the server has is no work
        private final LongAdder takenBytes = new LongAdder();

        Uploads(ImageEngine engine, Pictures pictures, Path results) {
            this.engine = engine;
            this.pictures = pictures;
            this.results = results;
        }

        @Override
        public boolean ask(int number, Color color, Consumer<Boolean> answer) {
            byte[] picture = pictures.picture(next.getAndIncrement());
            engine.upload(color, picture, isTaken -> {
                takenBytes.add(isTaken ? picture.length : 0);
                answer.accept(isTaken);
            });
            return true;
        }

        @Override
        public void awaitDone() throws InterruptedException {
            double due = takenBytes.sum() / MB;
            long untilNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_S);
            while (done() < due) {
                if (System.nanoTime() - untilNs > 0) {
                    throw new CheckFailedException("MB whose pictures have no version: " + (due - done()));
                }
                Thread.sleep(1);
            }
        }

        @Override
        public double done() {
            Map<String, Object> figures = engine.statistics().figures(System.nanoTime());
            return ((Number) Objects.requireNonNull(figures.get("pictureBytes"))).doubleValue() / MB;
        }

        @Override
        public void close() {
            try {
                boolean unused = engine.drain().get(PATIENCE_S, TimeUnit.SECONDS);
                engine.close();
                TemporaryFolder.delete(results);
            } catch (TimeoutException e) {
                throw new CheckFailedException("pictures are still in work");
            } catch (ExecutionException e) {
                throw new IllegalStateException(e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    @Override
    Map<String, String> subject() {
        return Map.of("pictures", Objects.requireNonNull(pictures).sizes());
    }

    @Override
    String unit() {
        return "MB/s";
    }

    @Override
    String printed(String name) {
        return PRINTED.getOrDefault(name, "");
    }
}
