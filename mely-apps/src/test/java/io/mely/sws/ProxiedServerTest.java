// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.sws.proxy.AddressRange;
import io.mely.sws.proxy.ProxyTrust.Field;
import io.mely.sws.tls.TlsEngine;
import io.mely.sws.tls.TlsSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** A server behind proxies: 127.0.0.1 is one, other addresses of this machine are none. */
class ProxiedServerTest extends SwsServerHarness {
    private static final String LINE = "PROXY TCP4 203.0.113.9 127.0.0.1 4711 80\r\n";

    @Override
    SwsConfig.Transport transport() {
        return SwsConfig.Transport.AUTO;
    }

    private static SwsConfig.Builder trust(SwsConfig.Builder builder, Field field, boolean protocol) {
        return builder.set(SwsSettings.TRUSTED_PROXIES, List.of(AddressRange.parse("127.0.0.1")))
                .set(SwsSettings.PROXY_FIELD, field)
                .set(SwsSettings.PROXY_PROTOCOL, protocol);
    }

    private Path log() {
        return temp.resolve("access.log");
    }

    private List<String> loggedClients() throws Exception {
        closeClients();
        server.close(PATIENCE);
        return Files.readAllLines(log()).stream()
                .map(line -> line.substring(0, line.indexOf(' ')))
                .toList();
    }

    private static String get(String fields) {
        return "GET /a.html HTTP/1.1\r\n" + HOST + fields + "\r\n";
    }

    // Each request of a proxy's connection is its own client's; one that names none, or can't be read, is the proxy's.
    @Test
    @EnabledOnOs(OS.LINUX)
    void field_ofATrustedProxy_isLogged() throws Exception {
        start(builder -> trust(builder.set(SwsSettings.ACCESS_LOG, log().toString()), Field.X_FORWARDED_FOR, false));
        RawClient proxy = connect();
        for (String fields : List.of(
                "X-Forwarded-For: 203.0.113.9\r\n",
                "X-Forwarded-For: 1.1.1.1\r\nX-Forwarded-For: 203.0.113.10, 127.0.0.1\r\n",
                "")) {
            assertThat(proxy.send(get(fields)).response().status()).isEqualTo(200);
        }
        assertThat(proxy.send("nonsense\r\n\r\n").response().status()).isEqualTo(400);
        assertThat(proxy.isEnded()).isTrue();
        RawClient other = new RawClient(server.localAddress(), 0, InetAddress.getByName("127.0.0.2"));
        clients.add(other);
        assertThat(other.send(get("X-Forwarded-For: 203.0.113.9\r\n"))
                        .response()
                        .status())
                .isEqualTo(200);
        assertThat(loggedClients())
                .containsExactlyInAnyOrder("203.0.113.9", "203.0.113.10", "127.0.0.1", "127.0.0.1", "127.0.0.2");
    }

    // The rate is each client's, not the proxy's, and the proxy's connections are not limited.
    @Test
    void limits_areTheClients() throws IOException {
        start(builder -> trust(
                builder.set(SwsSettings.CLIENT_RATE, 1)
                        .set(SwsSettings.CLIENT_BURST, 2)
                        .set(SwsSettings.CLIENT_CONNECTIONS_MAX, 1),
                Field.X_REAL_IP,
                false));
        RawClient first = connect();
        RawClient second = connect();
        for (int i = 0; i < 10; i++) {
            RawClient proxy = i % 2 == 0 ? first : second;
            assertThat(proxy.send(get("X-Real-IP: 203.0.113." + i + "\r\n"))
                            .response()
                            .status())
                    .isEqualTo(200);
        }
        int limited = 0;
        for (int i = 0; i < 20; i++) {
            limited += first.send(get("X-Real-IP: 203.0.113.99\r\n")).response().status() == 429 ? 1 : 0;
        }
        assertThat(limited).isPositive();
        assertThat(second.send(get("X-Real-IP: 203.0.113.100\r\n")).response().status())
                .isEqualTo(200);
    }

    // The header of the PROXY protocol, in one piece with the request and byte by byte; without it nothing is answered.
    @Test
    @EnabledOnOs(OS.LINUX)
    void protocol_namesTheClient() throws Exception {
        start(builder -> trust(builder.set(SwsSettings.ACCESS_LOG, log().toString()), Field.X_FORWARDED_FOR, true));
        RawClient whole = connect();
        assertThat(whole.send(LINE + get("") + get("")).response().text()).isEqualTo("hello");
        assertThat(whole.response().text()).isEqualTo("hello");
        RawClient slow = connect();
        for (char c : (LINE + get("X-Forwarded-For: 1.1.1.1\r\n")).toCharArray()) {
            slow.send(String.valueOf(c));
        }
        assertThat(slow.response().text()).isEqualTo("hello");
        assertThat(connect().send(get("")).isEnded()).isTrue();
        RawClient direct = new RawClient(server.localAddress(), 0, InetAddress.getByName("127.0.0.2"));
        clients.add(direct);
        assertThat(direct.send(get("")).response().text()).isEqualTo("hello");
        assertThat(loggedClients()).containsExactlyInAnyOrder("203.0.113.9", "203.0.113.9", "203.0.113.9", "127.0.0.2");
    }

    // The handshake of TLS begins behind the header.
    @Test
    void protocol_beforeTls() throws Exception {
        start(builder -> trust(
                builder.set(SwsSettings.ACCESS_LOG, log().toString())
                        .set(TlsSettings.CERTIFICATES, TlsFiles.certificates())
                        .set(TlsSettings.ENGINE, TlsEngine.AUTO),
                Field.X_FORWARDED_FOR,
                true));
        RawClient client = new RawClient(server.localAddress(), LINE, TlsFiles.clients());
        clients.add(client);
        assertThat(client.get("/a.html").response().text()).isEqualTo("hello");
        assertThat(loggedClients()).containsExactly("203.0.113.9");
    }
}
