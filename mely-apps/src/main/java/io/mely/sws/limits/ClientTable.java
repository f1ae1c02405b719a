// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.limits;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The clients by address: an IPv4 address is one, and so is an IPv6 network of 64 bits, within which whoever has one address has them all.
 *
 * <p>A client is remembered while it has connections, and after that until its bucket is full again, when it would be made anew just the
 * same. Of clients that are gone at most a number is remembered; the longest gone are forgotten first.
 *
 * <p><b>Threads.</b> One at a time, but for {@link Client#mayAsk}: any. <b>Costs.</b> A look-up and two small objects a connection.
 * <b>Bounds.</b> Clients with connections, and {@code goneMax} others.
 */
public final class ClientTable {
    private final int connectionsMax;
    private final int requestsPerSecond;
    private final int burst;
    private final int goneMax;

    /** Long keys: if somebody finds addresses that collide, the map's trees compare them. */
    private final Map<Long, Client> present = new HashMap<>();

    /** In the order they went. */
    private final Map<Long, Client> gone = new LinkedHashMap<>();

    /**
     * Makes an empty table.
     *
     * @param connectionsMax most of one client; 0 = unlimited
     * @param requestsPerSecond of one client; 0 = unlimited
     * @param burst requests at once
     * @param goneMax most clients without connections
     */
    public ClientTable(int connectionsMax, int requestsPerSecond, int burst, int goneMax) {
        this.connectionsMax = connectionsMax;
        this.requestsPerSecond = requestsPerSecond;
        this.burst = burst;
        this.goneMax = goneMax;
    }

    /** One client. */
    public static final class Client {
        private final Long key;
        private final @Nullable RateLimit requests;
        private int connections;

        private Client(Long key, @Nullable RateLimit requests) {
            this.key = key;
            this.requests = requests;
        }

        /**
         * Counts a request.
         *
         * @param nowNs the time
         * @return false if it is one too many
         */
        public boolean mayAsk(long nowNs) {
            return requests == null || requests.take(nowNs);
        }
    }

    /**
     * Counts a connection.
     *
     * @param address of the client
     * @param nowNs the time
     * @return its client, to be given to {@link #close}; null if it is one too many
     */
    public @Nullable Client open(InetAddress address, long nowNs) {
        Client client = present(address, nowNs);
        if (connectionsMax > 0 && client.connections >= connectionsMax) {
            return null;
        }
        client.connections++;
        return client;
    }

    private Client present(InetAddress address, long nowNs) {
        Long key = keyOf(address);
        Client client = present.get(key);
        if (client == null) {
            client = gone.remove(key);
            if (client == null) {
                client =
                        new Client(key, requestsPerSecond == 0 ? null : new RateLimit(requestsPerSecond, burst, nowNs));
            }
            present.put(key, client);
        }
        return client;
    }

    /**
     * Counts a request of a client that has no connection here, as it asks through a proxy.
     *
     * @param address of the client
     * @param nowNs the time
     * @return false if it is one too many
     */
    public boolean mayAsk(InetAddress address, long nowNs) {
        Client client = present(address, nowNs);
        client.connections++;
        boolean isAllowed = client.mayAsk(nowNs);
        close(client, nowNs);
        return isAllowed;
    }

    /**
     * Takes back that a request was counted by {@link #mayAsk}.
     *
     * @param address of the client
     * @param nowNs the time
     */
    public void giveBack(InetAddress address, long nowNs) {
        Client client = present(address, nowNs);
        client.connections++;
        if (client.requests != null) {
            client.requests.giveBack();
        }
        close(client, nowNs);
    }

    /**
     * Ends a connection.
     *
     * @param client what {@link #open} returned
     * @param nowNs the time
     */
    public void close(Client client, long nowNs) {
        client.connections--;
        assert client.connections >= 0 : client.connections;
        if (client.connections > 0) {
            return;
        }
        present.remove(client.key);
        if (client.requests != null) {
            gone.put(client.key, client);
        }
        forget(nowNs);
    }

    private void forget(long nowNs) {
        Iterator<Client> oldest = gone.values().iterator();
        while (oldest.hasNext()) {
            Client client = oldest.next();
            if (gone.size() <= goneMax
                    && !Objects.requireNonNull(client.requests).isFull(nowNs)) {
                return;
            }
            oldest.remove();
        }
    }

    /**
     * Clients that are remembered.
     *
     * @return with connections and without
     */
    public int size() {
        return present.size() + gone.size();
    }

    /**
     * What tells clients apart: the first 64 bits of an IPv6 address; an IPv4 address stands in ::/32, which nobody has.
     *
     * @param address of a client
     * @return the same for all addresses of the client
     */
    public static Long keyOf(InetAddress address) {
        ByteBuffer bytes = ByteBuffer.wrap(address.getAddress());
        return address instanceof Inet4Address ? 1L << 32 | (bytes.getInt() & 0xffff_ffffL) : bytes.getLong();
    }
}
