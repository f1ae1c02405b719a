// SPDX-License-Identifier: Apache-2.0
package io.mely.images;

import io.mely.ErrorHandler;
import io.mely.Mely;
import io.mely.images.store.Catalogue;
import io.mely.images.store.PictureId;
import io.mely.images.store.Store;
import io.mely.sws.Answer;
import io.mely.sws.Application;
import io.mely.sws.Intake;
import io.mely.sws.Request;
import io.mely.sws.http.Method;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.NoSuchFileException;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * What the image server answers itself.
 *
 * <table>
 * <caption>What it answers</caption>
 * <tr><td>{@code POST /images}</td><td>takes pictures</td></tr>
 * <tr><td>{@code GET /images/ID}</td><td>what is known of a picture, as JSON</td></tr>
 * <tr><td>{@code GET /images/ID/FILE}</td><td>a file that is there is left to the server of files; others are 404</td></tr>
 * <tr><td>{@code GET /images}</td><td>the newest pictures, if that is wanted</td></tr>
 * <tr><td>{@code GET /statistics}</td><td>figures, as JSON</td></tr>
 * <tr><td>{@code GET /}</td><td>a page for people</td></tr>
 * </table>
 *
 * <p>All else is 404: nothing but files of pictures in {@code images} is served.
 *
 * <p><b>Threads.</b> Any.
 */
final class ImagesApplication implements Application {
    private static final String JSON = "application/json";
    private static final String IMAGES = "/images";
    private static final String TYPES = "multipart/form-data, image/jpeg, image/png, image/webp";
    private static final int NEWEST = 24;

    private static final String POLICY = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self';"
            + " img-src 'self' blob:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

    private final Mely mely;
    private final ImageStages stages;
    private final FormReader forms;
    private final PixelBudget budget;
    private final Store store;
    private final long uploadBytesMax;
    private final boolean isListed;
    private final Map<String, Answer> files;

    /** @param isListed whether everybody may see which pictures there are */
    ImagesApplication(
            Mely mely,
            ImageStages stages,
            FormReader forms,
            PixelBudget budget,
            Store store,
            long uploadBytesMax,
            boolean isListed) {
        this.mely = mely;
        this.stages = stages;
        this.forms = forms;
        this.budget = budget;
        this.store = store;
        this.uploadBytesMax = uploadBytesMax;
        this.isListed = isListed;
        files = Map.of(
                "/",
                file("images.html", "text/html; charset=utf-8")
                        .with("Content-Security-Policy", POLICY)
                        .with("Referrer-Policy", "same-origin"),
                "/images.css",
                file("images.css", "text/css; charset=utf-8"),
                "/images.js",
                file("images.js", "text/javascript; charset=utf-8"),
                "/images.svg",
                file("images.svg", "image/svg+xml"));
    }

    private static Answer file(String name, String type) {
        try (InputStream in = ImagesApplication.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("not in the jar: " + name);
            }
            return Answer.of(200, type, in.readAllBytes())
                    .with("Cache-Control", "max-age=3600")
                    .with("X-Content-Type-Options", "nosniff");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    // ------------------------------------------------------------------ uploads

    @Override
    public Intake intake(Request request) {
        String path = request.path();
        if (!path.equals(IMAGES)) {
            return path.startsWith(IMAGES + "/") ? refused(405, "GET only").allow("GET, HEAD") : Intake.none();
        }
        if (request.method() != Method.POST) {
            return refused(405, "POST only").allow(isListed ? "GET, HEAD, POST" : "POST");
        }
        if (!request.contentEncoding().isEmpty()) {
            return refused(415, "an encoded body is not taken").with("Accept-Encoding", "identity");
        }
        if (!FormReader.isTaken(request.contentType())) {
            return refused(415, "a body of these types is taken: " + TYPES).with("Accept-Post", TYPES);
        }
        if (!request.isLengthGiven()) {
            return refused(411, "Content-Length or chunks are needed").done();
        }
        if (budget.isFull()) {
            return refused(503, "too many pictures are in work").with("Retry-After", "1");
        }
        return Intake.upTo(uploadBytesMax);
    }

    private static Refusal refused(int status, String error) {
        return new Refusal(Answer.of(status, JSON, Json.of(Map.of("error", error))));
    }

    /** An answer that gets one field more. */
    private record Refusal(Answer answer) {
        Intake allow(String methods) {
            return with("Allow", methods);
        }

        Intake with(String name, String value) {
            return Intake.refused(answer.with(name, value));
        }

        Intake done() {
            return Intake.refused(answer);
        }
    }

    // ------------------------------------------------------------------ requests

    @Override
    public boolean take(Request request) {
        if (request.method() == Method.POST) {
            stages.underway().begin();
            stages.begin(new Upload(new Sender.Client(request, forms), stages.underway()::end));
            return true;
        }
        String path = request.path();
        Answer file = files.get(path);
        if (file != null) {
            request.answer(file);
        } else if (path.equals("/statistics")) {
            request.answer(json(stages.statistics().figures(System.nanoTime())));
        } else if (path.equals(IMAGES) && isListed) {
            request.answer(json(Map.of(
                    "images",
                    store.catalogue().newest(NEWEST).stream()
                            .map(PictureId::text)
                            .toList())));
        } else if (path.startsWith(IMAGES + "/")) {
            return takePicture(request, path.substring(IMAGES.length() + 1));
        } else {
            request.answer(missing());
        }
        return true;
    }

    private static Answer json(Map<String, ?> object) {
        return json(Json.of(object));
    }

    private static Answer json(byte[] content) {
        return Answer.of(200, JSON, content)
                .with("Cache-Control", "no-store")
                .with("X-Content-Type-Options", "nosniff");
    }

    private static Answer missing() {
        return Answer.of(404, JSON, Json.of(Map.of("error", "there is no such picture")))
                .with("Cache-Control", "no-store");
    }

    /** A file is left to the server of files only if it is there: it remembers for a while what it has not found. */
    private boolean takePicture(Request request, String rest) {
        int slash = rest.indexOf('/');
        String name = slash < 0 ? rest : rest.substring(0, slash);
        if (!PictureId.isValid(name)) {
            request.answer(missing());
            return true;
        }
        PictureId id = new PictureId(name);
        if (slash < 0) {
            answerStatus(request, id);
            return true;
        }
        Picture picture = stages.inWork(id);
        boolean isThere = store.catalogue().state(id) == Catalogue.State.FINISHED
                || (picture != null && picture.isReady(rest.substring(slash + 1)));
        if (!isThere) {
            request.answer(missing());
        }
        return !isThere;
    }

    private void answerStatus(Request request, PictureId id) {
        Picture picture = stages.inWork(id);
        if (picture != null) {
            request.answer(json(picture.status("processing")));
            return;
        }
        switch (store.catalogue().state(id)) {
            case FINISHED -> {
                CompletableFuture<?> unused = mely.blocking(request.color(), () -> store.status(id))
                        .handle((status, failure) -> {
                            request.answer(status != null ? json(status) : unread(failure));
                            return true;
                        });
            }
            case IN_WORK -> request.answer(json(Map.of("id", id.text(), "state", "processing")));
            case FAILED -> request.answer(json(Map.of("id", id.text(), "state", "failed")));
            case UNKNOWN -> request.answer(missing());
        }
    }

    private static Answer unread(@Nullable Throwable failure) {
        return failure instanceof NoSuchFileException
                ? missing() // removed since
                : Answer.of(503, JSON, Json.of(Map.of("error", "its status can't be read now")))
                        .with("Retry-After", "1");
    }

    // ------------------------------------------------------------------ failures and the end

    @Override
    public void failed(ErrorHandler.Failure failure) {
        Object event = failure.event();
        if (event != null) {
            stages.failed(event, failure.cause());
        }
    }

    @Override
    public CompletionStage<?> drain() {
        return stages.underway().drain();
    }
}
