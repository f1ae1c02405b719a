// SPDX-License-Identifier: Apache-2.0
package io.mely;

/**
 * Loads what the handler of an event will read, so that several events wait for memory at once, and not one after the other.
 *
 * <p>A handler waits for the data of its color where that is no longer in the cache, as with accounts, sessions or books by the ten thousand. A core runs short events in
 * groups of up to 16: it calls this for each of a group, then the handlers. With 65,536 keys whose data is three loads away, events take 0.74 to 0.85 of the time, sends
 * included; where the data is in the cache it changes nothing.
 *
 * <pre>{@code
 * Stage<Order> orders = mely.stage("orders", StageOptions.defaults(), this::handle, order -> books[order.book()].version);
 * }</pre>
 *
 * <p><b>A hint</b>, and not in the color: the event may be taken by another core meanwhile and its handler run there at the same time, and what an earlier event of the color changes is not
 * there yet. So it reads what may be read at any time, relies on nothing of it, changes nothing, sends nothing, and takes no lock. It is called for events that run as
 * one of several short ones (up to 2 us, default priority, no penalty, see {@link MelyBuilder#shortQueue}); not for one that is alone, longer or null, nor by {@link Engine#LIBASYNC_SMP} and {@link Engine#LIBASYNC_MP}.
 * What it takes counts as the handler's time.
 *
 * <p><b>Threads.</b> That of the core which is about to run the event. <b>Errors.</b> One that throws is logged and never called again for that stage; the event runs all the same. <b>Source.</b> Group prefetching: Chen,
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
