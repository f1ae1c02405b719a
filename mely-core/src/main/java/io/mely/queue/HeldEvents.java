// SPDX-License-Identifier: Apache-2.0
package io.mely.queue;

import java.util.Arrays;

/**
 * Events held back of colors that settle, by color: few at a time, so they are searched one by one.
 *
 * <p><b>Threads.</b> The holder of the core's lock.
 */
final class HeldEvents {
    private int[] number = new int[4];
    private int[] head = new int[4];
    private int[] tail = new int[4];
    private int[] priority = new int[4];
    private long[] weight = new long[4];
    private int[] longs = new int[4];
    private int count;

    void add(ColorQueue color, EventRecord record, int eventPriority, RecordIndex records) {
        int at = find(color.number());
        if (at < 0) {
            at = addColor(color.number());
            head[at] = record.id;
        } else {
            records.at(tail[at]).nextPlain(record.id);
        }
        tail[at] = record.id;
        weight[at] += record.weight();
        longs[at] += record.isLong() ? 1 : 0;
        priority[at] = Math.max(priority[at], eventPriority);
    }

    private int find(int color) {
        for (int i = 0; i < count; i++) {
            if (number[i] == color) {
                return i;
            }
        }
        return -1;
    }

    private int addColor(int color) {
        if (count == number.length) {
            number = Arrays.copyOf(number, 2 * count);
            head = Arrays.copyOf(head, 2 * count);
            tail = Arrays.copyOf(tail, 2 * count);
            priority = Arrays.copyOf(priority, 2 * count);
            weight = Arrays.copyOf(weight, 2 * count);
            longs = Arrays.copyOf(longs, 2 * count);
        }
        number[count] = color;
        priority[count] = 0;
        weight[count] = 0;
        longs[count] = 0;
        return count++;
    }

    /** Appends what is held of a color to it. Returns its weight, 0 if that is nothing. */
    long moveTo(ColorQueue color, RecordIndex records) {
        int at = find(color.number());
        if (at < 0) {
            return 0;
        }
        long moved = weight[at];
        color.append(head[at], tail[at], records);
        color.add(weight[at], longs[at], priority[at]);
        count--;
        number[at] = number[count];
        head[at] = head[count];
        tail[at] = tail[count];
        priority[at] = priority[count];
        weight[at] = weight[count];
        longs[at] = longs[count];
        return moved;
    }
}
