// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mely.Seed;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

// The heap gives the timers out by deadline, first come first served among equals, wherever the clock stands and
// whatever was taken out.
class TimerHeapTest {
    private final TimerHeap heap = new TimerHeap();

    @SuppressWarnings("NullAway")
    private static TimerEntry timer(long deadlineNs) {
        return new TimerEntry(null, null, null, null, deadlineNs);
    }

    private TimerEntry removeFirst() {
        TimerEntry first = heap.first();
        heap.remove(first);
        return first;
    }

    @Test
    void first_isTheEarliest_equalsInOrder() {
        TimerEntry b1 = timer(20);
        TimerEntry a = timer(10);
        TimerEntry b2 = timer(20);
        TimerEntry b3 = timer(20);
        for (TimerEntry timer : List.of(b1, a, b2, b3)) {
            heap.add(timer);
        }
        assertThat(List.of(removeFirst(), removeFirst(), removeFirst(), removeFirst()))
                .containsExactly(a, b1, b2, b3);
        assertThat(heap.first()).isNull();
        assertThat(heap.size()).isZero();
    }

    @Test
    void remove_notInTheHeap_doesNothing() {
        TimerEntry in = timer(1);
        TimerEntry out = timer(2);
        heap.add(in);
        heap.remove(out);
        assertThat(heap.size()).isEqualTo(1);
        heap.remove(in);
        heap.remove(in);
        assertThat(heap.size()).isZero();
    }

    @Test
    void add_twice_isABug() {
        TimerEntry timer = timer(1);
        heap.add(timer);
        assertThatThrownBy(() -> heap.add(timer)).isInstanceOf(AssertionError.class);
    }

    @Test
    void first_whenTheClockWraps_isStillTheEarliest() {
        TimerEntry before = timer(Long.MAX_VALUE - 5);
        TimerEntry after = timer(Long.MIN_VALUE + 5);
        heap.add(after);
        heap.add(before);
        assertThat(removeFirst()).isSameAs(before);
        assertThat(removeFirst()).isSameAs(after);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, Long.MAX_VALUE - 200})
    void randomAddsAndRemoves_againstASortedList(long originNs) {
        Random random = new Random(Seed.of("TimerHeapTest"));
        List<TimerEntry> model = new ArrayList<>(); // in order of arrival
        Comparator<TimerEntry> byDeadline = Comparator.comparingLong(timer -> timer.deadlineNs - originNs);
        for (int i = 0; i < 100_000; i++) {
            int limit = i / 1_000 % 2 == 0 ? 7 : 3; // grows beyond its first array, and shrinks again
            if (random.nextInt(10) < limit) {
                TimerEntry timer = timer(originNs + random.nextInt(400));
                heap.add(timer);
                model.add(timer);
            } else if (!model.isEmpty() && random.nextBoolean()) {
                heap.remove(model.remove(random.nextInt(model.size())));
            } else if (!model.isEmpty()) {
                TimerEntry expected = model.stream().min(byDeadline).orElseThrow();
                assertThat(removeFirst()).isSameAs(expected);
                model.remove(expected);
            }
            assertThat(heap.size()).isEqualTo(model.size());
        }
        model.sort(byDeadline); // stable
        for (TimerEntry expected : model) {
            assertThat(removeFirst()).isSameAs(expected);
            assertThat(expected.heapIndex).isEqualTo(-1);
        }
        assertThat(heap.first()).isNull();
    }
}
