// SPDX-License-Identifier: Apache-2.0
package io.mely.images;

import io.mely.Color;
import io.mely.Sized;
import io.mely.images.picture.PictureReader;
import io.mely.images.store.PictureId;
import io.mely.sws.Answer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A request with pictures, until it is answered: the event of the form parser and of the decoder.
 *
 * <p><b>Threads.</b> That of the stage that it is at; one stage at a time has it.
 */
final class Upload implements Sized {
    private static final String JSON = "application/json";

    /**
     * A file whose head has been read.
     *
     * @param id of the picture
     * @param reader to be closed
     * @param memoryBytes what work on it takes
     */
    record Opened(PictureId id, PictureReader reader, long memoryBytes) {}

    final Sender sender;
    final Color color;
    private final Runnable ended;
    private final List<Outcome> outcomes = new ArrayList<>();
    private final AtomicBoolean isDone = new AtomicBoolean(); // a handler may fail after it has answered

    Deque<Source> files = new ArrayDeque<>();

    /** Of the first file. */
    @Nullable
    Opened opened;

    /** Memory for the first file that is taken, and not given to a picture. */
    long takenBytes;

    /** @param ended called once, behind the answer */
    Upload(Sender sender, Runnable ended) {
        this.sender = sender;
        this.ended = ended;
        color = sender.color();
    }

    @Override
    public long size() {
        return sender.bytes();
    }

    /** The first file is through. */
    void add(Outcome outcome) {
        outcomes.add(outcome);
        files.remove();
        closeReader();
    }

    void closeReader() {
        if (opened != null) {
            opened.reader.close();
            opened = null;
        }
    }

    /** All files are through. Refused as a whole only if each is; the status is that of the first. */
    void answer() {
        boolean isRefused = outcomes.stream().allMatch(Outcome::isRefused);
        boolean isFinished = outcomes.stream().allMatch(each -> each.status() == Outcome.FINISHED);
        int status = isRefused ? outcomes.get(0).status() : isFinished ? Outcome.FINISHED : Outcome.IN_WORK;
        Map<String, Object> body =
                Map.of("images", outcomes.stream().map(Outcome::toJson).toList());
        Answer answer = Answer.of(status, JSON, Json.of(body)).with("Cache-Control", "no-store");
        Outcome first = outcomes.get(0);
        end(isFinished && first.id() != null ? answer.with("Location", "/images/" + first.id()) : answer, status);
    }

    /** Ends it without a look at the files that are left. */
    void refuse(int status, String error) {
        end(Answer.of(status, JSON, Json.of(Map.of("error", error))).with("Cache-Control", "no-store"), status);
    }

    private void end(Answer answer, int status) {
        if (isDone.compareAndSet(false, true)) {
            try {
                sender.answer(status == 503 ? answer.with("Retry-After", "1") : answer);
            } finally {
                ended.run();
            }
        }
    }

    @Override
    public String toString() {
        return "Upload[" + files.size() + " files to go, " + outcomes + "]";
    }
}
