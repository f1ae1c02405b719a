// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ProxyHeaderTest {
    private static final String SIGNATURE = "0d0a0d0a000d0a515549540a";

    /** Reads as little at once as it may; what follows the header stays. */
    private static InetAddress source(InputStream in, boolean isByByte) throws IOException {
        ProxyHeader header = new ProxyHeader();
        for (int wanted = header.wanted(); wanted > 0; wanted = header.wanted()) {
            byte[] part = in.readNBytes(isByByte ? 1 : wanted);
            if (part.length == 0) {
                throw new IOException("ended");
            }
            header.add(part, part.length);
        }
        return header.source();
    }

    private static void check(byte[] header, String address) throws IOException {
        byte[] bytes = Arrays.copyOf(header, header.length + 3);
        for (boolean isByByte : new boolean[] {false, true}) {
            ByteArrayInputStream in = new ByteArrayInputStream(bytes);
            InetAddress source = source(in, isByByte);
            assertThat(source).isEqualTo(address == null ? null : InetAddress.getByName(address));
            assertThat(in.available()).as("what follows is not read").isEqualTo(3);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "PROXY TCP4 1.2.3.4 5.6.7.8 1000 80, 1.2.3.4",
        "PROXY TCP6 2001:db8::1 ::1 1000 80, 2001:db8::1",
        "PROXY UNKNOWN,",
        "PROXY UNKNOWN ffff:f...f:ffff ffff:f...f:ffff 65535 65535,"
    })
    void line_namesTheSource(String line, String address) throws IOException {
        check((line + "\r\n").getBytes(StandardCharsets.US_ASCII), address);
    }

    // Version 2: IPv4 with and without more behind the addresses, IPv6, the proxy's own connection, a Unix socket.
    @ParameterizedTest
    @CsvSource({
        "2111000c 01020304 05060708 03e80050, 1.2.3.4",
        "21110010 01020304 05060708 03e80050 04000100, 1.2.3.4",
        "21210024 20010db8000000000000000000000001 00000000000000000000000000000001 03e8 0050, 2001:db8::1",
        "20000000,",
        "21310003 010203,"
    })
    void binary_namesTheSource(String rest, String address) throws IOException {
        check(HexFormat.of().parseHex(SIGNATURE + rest.replace(" ", "")), address);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET / HTTP/1.1\r\n\r\n",
                "PROXY TCP4 1.2.3.4\r\n",
                "PROXY TCP4 host 5.6.7.8 1 2\r\n",
                "PROXY TCP4 1.2.3.4 5.6.7.8 1 2\n",
                "PROXY FOO BAR BAZ\r\n"
            })
    void line_malformed_isRefused(String line) {
        String longer = line + "x".repeat(200);
        assertThatThrownBy(() -> source(new ByteArrayInputStream(longer.getBytes(StandardCharsets.US_ASCII)), false))
                .isInstanceOf(IOException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"3111000c0102030405060708", "2211000c010203040506070803e80050", "21110004 01020304", "2111ffff"})
    void binary_malformed_isRefused(String rest) {
        byte[] bytes = HexFormat.of().parseHex(SIGNATURE + rest.replace(" ", "") + "00".repeat(100));
        assertThatThrownBy(() -> source(new ByteArrayInputStream(bytes), false)).isInstanceOf(IOException.class);
    }

    @ParameterizedTest
    @ValueSource(ints = {107, 200})
    void line_endless_isRefused(int length) {
        byte[] bytes = ("PROXY " + "x".repeat(length)).getBytes(StandardCharsets.US_ASCII);
        assertThatThrownBy(() -> source(new ByteArrayInputStream(bytes), false)).isInstanceOf(IOException.class);
    }
}
