// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.sws.proxy.ProxyTrust.Field;
import java.net.InetAddress;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ProxyTrustTest {
    private static final List<AddressRange> PROXIES = Stream.of("10.0.0.0/8", "192.0.2.7", "2001:db8::/33")
            .map(AddressRange::parse)
            .toList();

    @ParameterizedTest
    @CsvSource({
        "10.255.0.1, true",
        "11.0.0.1, false",
        "192.0.2.7, true",
        "192.0.2.8, false",
        "2001:db8:7fff::1, true",
        "2001:db8:8000::1, false",
        "::ffff:10.0.0.1, true"
    })
    void trusts_byPrefix(String address, boolean isTrusted) throws Exception {
        ProxyTrust trust = new ProxyTrust(PROXIES, Field.X_REAL_IP, false);
        assertThat(trust.trusts(InetAddress.getByName(address))).isEqualTo(isTrusted);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "10.0.0.0/33",
                "::/129",
                "10.0.0/8",
                "localhost",
                "10.0.0.0/",
                "10.0.0.0/-1",
                "/8",
                "1.2.3.4/x"
            })
    void parse_otherForms_areRefused(String text) {
        assertThat(AddressRange.parse(text)).isNull();
    }

    // The last address that is no proxy's is the client's; what a client writes itself stands before it, and is not
    // believed.
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "203.0.113.9 | 203.0.113.9",
                "1.1.1.1, 203.0.113.9 | 203.0.113.9",
                "1.1.1.1, 203.0.113.9, 10.1.1.1 | 203.0.113.9",
                "203.0.113.9:4711 | 203.0.113.9",
                "[2001:db9::1]:4711 | 2001:db9::1",
                "2001:db9::1 | 2001:db9::1",
                "10.1.1.1, 10.2.2.2 | 10.1.1.1",
                "unknown | 192.0.2.7",
                "203.0.113.9, nonsense | 192.0.2.7",
                "203.0.113.9, nonsense, 10.3.3.3 | 10.3.3.3",
                "'' | 192.0.2.7"
            })
    void client_xForwardedFor(String value, String client) throws Exception {
        ProxyTrust trust = new ProxyTrust(PROXIES, Field.X_FORWARDED_FOR, false);
        assertThat(trust.client(InetAddress.getByName("192.0.2.7"), value)).isEqualTo(InetAddress.getByName(client));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "for=203.0.113.9 | 203.0.113.9",
                "For=\"[2001:db9::1]:4711\";proto=https;by=10.0.0.1 | 2001:db9::1",
                "for=1.1.1.1, proto=http;for=203.0.113.9, for=10.0.0.1 | 203.0.113.9",
                "for=_hidden | 192.0.2.7",
                "by=203.0.113.9 | 192.0.2.7"
            })
    void client_forwarded(String value, String client) throws Exception {
        ProxyTrust trust = new ProxyTrust(PROXIES, Field.FORWARDED, false);
        assertThat(trust.client(InetAddress.getByName("192.0.2.7"), value)).isEqualTo(InetAddress.getByName(client));
    }

    // Nobody is believed by default.
    @Test
    void none_trustsNobody() throws Exception {
        assertThat(ProxyTrust.NONE.isOn()).isFalse();
        assertThat(ProxyTrust.NONE.trusts(InetAddress.getByName("127.0.0.1"))).isFalse();
    }
}
