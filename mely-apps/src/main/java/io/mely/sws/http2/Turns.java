// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http2;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * The streams that have something to send and wait for room: the most urgent first. Of one urgency whoever is not incremental goes on until it has sent all, and
 * whoever is goes to the end of the queue after a frame (RFC 9218 10). Of as many turns as there are levels one is for those that are less urgent, level by level: they are slow, but none
 * waits for ever.
 *
 * <p><b>Bounds.</b> Each stream is in it once at most.
 */
final class Turns {
    @SuppressWarnings({"unchecked", "rawtypes"}) // an array of a generic type
    private final @Nullable Deque<Stream>[] levels = new Deque[Priority.LEVELS];

    private int size;
    private int passes; // turns since a less urgent one had one, while some wait
    private int less; // whose turn that was

    boolean isEmpty() {
        return size == 0;
    }

    /** Whether one of them goes before a stream that would like to send now. */
    boolean isBefore(Stream stream) {
        for (int urgency = 0; size > 0 && urgency <= stream.priority.urgency(); urgency++) {
            Deque<Stream> level = levels[urgency];
            if (level != null && !level.isEmpty()) {
                return true;
            }
        }
        return false;
    }

    /** Does nothing if it waits already. */
    void add(Stream stream) {
        if (!stream.isQueued) {
            stream.isQueued = true;
            size++;
            level(stream).addLast(stream);
        }
    }

    /** One whose turn was interrupted. */
    void addFirst(Stream stream) {
        assert !stream.isQueued : stream;
        stream.isQueued = true;
        size++;
        level(stream).addFirst(stream);
    }

    private Deque<Stream> level(Stream stream) {
        int urgency = stream.priority.urgency();
        Deque<Stream> level = levels[urgency];
        if (level == null) {
            level = new ArrayDeque<>();
            levels[urgency] = level;
        }
        return level;
    }

    @Nullable
    Stream poll() {
        if (size == 0) {
            return null;
        }
        int first = after(-1);
        int last = Priority.LEVELS - 1;
        while (isEmpty(last)) {
            last--;
        }
        int chosen = first;
        if (first < last && ++passes == Priority.LEVELS) {
            passes = 0;
            less = less > first && less < last ? after(less) : after(first);
            chosen = less;
        }
        Deque<Stream> level = levels[chosen];
        Stream next = level == null ? null : level.pollFirst();
        if (next != null) {
            next.isQueued = false;
            size--;
        }
        return next;
    }

    /** The most urgent level behind another one in which somebody waits; there is one. */
    private int after(int urgency) {
        int at = urgency + 1;
        while (isEmpty(at)) {
            at++;
        }
        return at;
    }

    private boolean isEmpty(int urgency) {
        Deque<Stream> level = levels[urgency];
        return level == null || level.isEmpty();
    }

    void remove(Stream stream) {
        if (stream.isQueued) {
            stream.isQueued = false;
            size--;
            level(stream).remove(stream);
        }
    }

    /** Changes what a stream is worth; it goes behind those that wait there. */
    void change(Stream stream, Priority priority) {
        boolean isQueued = stream.isQueued;
        remove(stream);
        stream.priority = priority;
        if (isQueued) {
            add(stream);
        }
    }
}
