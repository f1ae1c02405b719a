// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.ssh;

import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Connections that have not logged in yet. When there are too many, the address that has most of them gives up its oldest: who opens many connections takes
 * room from himself, and not from others.
 *
 * <p><b>Threads.</b> One at a time. <b>Costs.</b> O(log addresses). <b>Bounds.</b> As many connections as it is made for.
 *
 * @param <C> a connection
 */
final class LoginTable<C> {
    private final int max;
    private final Map<Long, Group<C>> byAddress = new HashMap<>();

    /** The largest first; of equal ones that with the older connection. A group is taken out before it changes. */
    private final NavigableSet<Group<C>> bySize = new TreeSet<>(
            Comparator.<Group<C>>comparingInt(Group::size).reversed().thenComparingLong(Group::firstArrival));

    private long arrivals;
    private int size;

    /** The connections of one address in the order they came, each with its number. */
    private static final class Group<C> {
        private final Long address;
        private final Map<C, Long> arrivalOf = new LinkedHashMap<>();

        Group(Long address) {
            this.address = address;
        }

        int size() {
            return arrivalOf.size();
        }

        long firstArrival() {
            return arrivalOf.values().iterator().next();
        }

        C first() {
            return arrivalOf.keySet().iterator().next();
        }
    }

    /** @param max most connections, &gt;= 1 */
    LoginTable(int max) {
        this.max = max;
    }

    /**
     * Adds a connection.
     *
     * @param address of the client
     * @param connection not there yet
     * @return the one that makes way for it; null if there is room
     */
    @Nullable
    C add(Long address, C connection) {
        Group<C> group = byAddress.computeIfAbsent(address, Group::new);
        if (group.size() > 0) {
            bySize.remove(group);
        }
        group.arrivalOf.put(connection, ++arrivals);
        bySize.add(group);
        size++;
        if (size <= max) {
            return null;
        }
        Group<C> largest = bySize.first();
        C oldest = largest.first();
        remove(largest.address, oldest);
        return oldest;
    }

    /** Takes a connection out, if it is there: it has logged in, or is gone. */
    void remove(Long address, C connection) {
        Group<C> group = byAddress.get(address);
        if (group == null || !group.arrivalOf.containsKey(connection)) {
            return;
        }
        bySize.remove(group);
        group.arrivalOf.remove(connection);
        size--;
        if (group.size() == 0) {
            byAddress.remove(address);
        } else {
            bySize.add(group);
        }
    }

    int size() {
        return size;
    }
}
