// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.sws.limits.ClientTable.Client;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ClientTableTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private static InetAddress address(String text) throws UnknownHostException {
        return InetAddress.getByName(text);
    }

    // An IPv4 address is a client, an IPv6 network of 64 bits is one, and none is taken for one of the other kind.
    @Test
    void keyOf_isTheAddress_orTheNetwork() throws Exception {
        assertThat(ClientTable.keyOf(address("192.0.2.1"))).isNotEqualTo(ClientTable.keyOf(address("192.0.2.2")));
        assertThat(ClientTable.keyOf(address("255.255.255.255")))
                .isNotEqualTo(ClientTable.keyOf(address("127.255.255.255")));
        assertThat(ClientTable.keyOf(address("2001:db8:1:2::1")))
                .isEqualTo(ClientTable.keyOf(address("2001:db8:1:2:ffff:ffff:ffff:ffff")));
        assertThat(ClientTable.keyOf(address("2001:db8:1:2::1")))
                .isNotEqualTo(ClientTable.keyOf(address("2001:db8:1:3::1")));
        assertThat(ClientTable.keyOf(address("::1"))).isNotEqualTo(ClientTable.keyOf(address("0.0.0.1")));
        assertThat(ClientTable.keyOf(address("::ffff:192.0.2.1"))).isEqualTo(ClientTable.keyOf(address("192.0.2.1")));
    }

    // Connections of one client are bounded, others' are not touched, and one that ends makes room.
    @Test
    void open_atMostSoMany() throws Exception {
        ClientTable table = new ClientTable(2, 0, 1, 10);
        Client first = table.open(address("192.0.2.1"), 0);
        assertThat(table.open(address("192.0.2.1"), 0)).isSameAs(first);
        assertThat(table.open(address("192.0.2.1"), 0)).isNull();
        assertThat(table.open(address("192.0.2.2"), 0)).isNotNull().isNotSameAs(first);
        table.close(first, 0);
        assertThat(table.open(address("192.0.2.1"), 0)).isSameAs(first);
        table.close(first, 0);
        table.close(first, 0);
        assertThat(table.size()).isEqualTo(1);
    }

    // Who has used up the rate cannot get it back by connecting anew; who has waited long enough is forgotten.
    @Test
    void rate_outlivesTheConnection() throws Exception {
        ClientTable table = new ClientTable(0, 1, 2, 10);
        Client client = table.open(address("192.0.2.1"), 0);
        assertThat(client.mayAsk(0)).isTrue();
        assertThat(client.mayAsk(0)).isTrue();
        assertThat(client.mayAsk(0)).isFalse();
        table.close(client, 0);
        assertThat(table.open(address("192.0.2.1"), SECOND / 2)).isSameAs(client);
        assertThat(client.mayAsk(SECOND / 2)).isFalse();
        table.close(client, SECOND / 2);
        Client other = table.open(address("192.0.2.9"), 3 * SECOND);
        table.close(other, 3 * SECOND);
        assertThat(table.size()).isZero();
    }

    // A crowd that only comes to be remembered does not fill the memory, and forgets its own oldest first.
    @Test
    void gone_areBounded() throws Exception {
        ClientTable table = new ClientTable(0, 1, 10, 100);
        Client kept = null;
        for (int i = 0; i < 5_000; i++) {
            Client client = table.open(address("2001:db8:" + Integer.toHexString(i) + "::1"), 0);
            client.mayAsk(0);
            table.close(client, 0);
            assertThat(table.size()).isLessThanOrEqualTo(100);
            kept = client;
        }
        assertThat(table.size()).isEqualTo(100);
        assertThat(table.open(address("2001:db8:1387::2"), 0)).isSameAs(kept);
    }

    // Against a plain count, at random.
    @Test
    void open_close_atRandom_keepsCount() throws Exception {
        long seed = Long.getLong("mely.test.seed", System.nanoTime());
        Random random = new Random(seed);
        ClientTable table = new ClientTable(3, 5, 2, 7);
        Map<Integer, Deque<Client>> open = new HashMap<>();
        for (int step = 0; step < 20_000; step++) {
            long nowNs = step * (SECOND / 20);
            int who = random.nextInt(20);
            Deque<Client> mine = open.computeIfAbsent(who, key -> new ArrayDeque<>());
            if (random.nextBoolean()) {
                Client client = table.open(address("10.0.0." + who), nowNs);
                assertThat(client == null).as("seed %s, step %s", seed, step).isEqualTo(mine.size() == 3);
                if (client != null) {
                    client.mayAsk(nowNs);
                    mine.add(client);
                }
            } else if (!mine.isEmpty()) {
                table.close(mine.remove(), nowNs);
            }
            long present =
                    open.values().stream().filter(each -> !each.isEmpty()).count();
            assertThat((long) table.size()).as("seed %s, step %s", seed, step).isBetween(present, present + 7);
        }
    }
}
