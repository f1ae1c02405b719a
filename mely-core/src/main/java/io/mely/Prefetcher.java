// SPDX-License-Identifier: Apache-2.0
package io.mely;

/**
 * Loads what the handler of an event will read, so that several events wait for memory at once, and not one after the other.
 *
 * <p>A handler waits for the data of its color where that is no longer in the cache, as with accounts, sessions or books by the ten thousand. A core runs short events in
 * groups of up to 16: it calls this for each of a group, then the handlers. With 65,536 keys whose data is three loads away, events take 0.74 to 0.85 of the time, sends
 * included; with 1,024, whose data is in the cache, the same with it as without.
 *
 * <pre>{@code
 * Stage<Order> orders = mely.stage("orders", StageOptions.defaults(), this::handle, order -> books[order.book()].version);
 * }</pre>
 *
 * <p><b>A hint</b>, and not in the color: the event may be taken by another core meanwhile and its handler run there at the same time, and what an earlier event of the color changes is not
 * there yet. So it reads what may be read at any time, relies on nothing of it, changes nothing, sends nothing, and takes no lock. The event must say itself whose it is: there is no
 * {@link Color#current()} here.
 *
 * <p><b>When.</b> For events that wait with other short ones, and run as a group of 2 to 16 ({@link MelyBuilder#shortQueue}): of the default priority, without a penalty, whose color has no more pending than
 * takes four times what the cheapest steal costs, and 2 us at most. Not for one that is alone or null; nor where stealing is on without time-left, nor by {@link Engine#LIBASYNC_SMP} and {@link Engine#LIBASYNC_MP}.
 * What it takes is part of the time that is measured for the handler.
 *
 * <p><b>Threads.</b> That of the core which is about to run the event. <b>Errors.</b> One that throws is logged and let go of: it is not called again for that stage, but where another core is just at it. The event runs all the same. <b>Source.</b> Group prefetching: Chen,
 * Ailamaki, Gibbons, Mowry, <i>Improving Hash Join Performance through Prefetching</i>, ICDE 2004.
 *
 * @param <E> the type of event
 */
@FunctionalInterface
public interface Prefetcher<E> {
    /**
     * Loads.
     *
     * @param event what was sent, never null
     * @return anything that comes of what was loaded, so that no compiler leaves the loads out
     */
    long prefetch(E event);
}
