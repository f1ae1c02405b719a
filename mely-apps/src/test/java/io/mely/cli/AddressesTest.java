// SPDX-License-Identifier: Apache-2.0
package io.mely.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AddressesTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "127.0.0.1",
                "0.0.0.0",
                "255.255.255.255",
                "::",
                "::1",
                "[::1]",
                "fe80::1%eth0",
                "localhost",
                "a-b.c_d"
            })
    void isHost_accepts(String text) {
        assertThat(Addresses.isHost(text)).isTrue();
    }

    // What looks like an address must be a whole one; the JDK would read "127.1" and "2130706433".
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "127.1",
                "2130706433",
                "256.0.0.1",
                "999.1.1.1",
                "1.2.3.4.5",
                "01.2.3.4.",
                ":",
                ":::",
                "1::2::3",
                "[]",
                "[localhost]",
                "[::1",
                "a b",
                "-a",
                "a/b",
                "http://x",
                "127.0.0.1:80",
                "h\u00f6st"
            })
    void isHost_refuses(String text) {
        assertThat(Addresses.isHost(text)).isFalse();
    }

    // RFC 5952: the longest run of zeros is shortened, the first of equally long ones, never a single zero.
    @ParameterizedTest
    @CsvSource({
        "127.0.0.1, http://127.0.0.1:80",
        "::1, http://[::1]:80",
        "::, http://[::]:80",
        "2001:db8::, http://[2001:db8::]:80",
        "2001:db8:0:1:1:1:1:1, http://[2001:db8:0:1:1:1:1:1]:80",
        "2001:0:0:1:0:0:0:1, http://[2001:0:0:1::1]:80",
        "2001:0:0:1:1:0:0:1, http://[2001::1:1:0:0:1]:80"
    })
    void url_writesAddresses(String address, String url) throws Exception {
        assertThat(Addresses.url(new InetSocketAddress(Addresses.lookUp(address), 80)))
                .isEqualTo(url);
    }

    @Test
    void lookUp_takesBracketsOff() throws Exception {
        assertThat(Addresses.lookUp("[::1]")).isEqualTo(Addresses.lookUp("::1"));
    }
}
