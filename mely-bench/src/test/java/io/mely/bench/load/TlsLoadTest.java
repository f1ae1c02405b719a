// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Property: each load has a program's command line, and its figures count only if no request failed. */
class TlsLoadTest {
    @Test
    void command_asksForHttp2OnManyStreams() {
        assertThat(TlsLoad.HTTP2.command(8443, 3))
                .containsExactly(
                        "h2load", "-t", "1", "-c", "100", "-m", "10", "-D", "3", "https://127.0.0.1:8443/file.html");
        assertThat(TlsLoad.H2C.command(8080, 3)).last().isEqualTo("http://127.0.0.1:8080/file.html");
    }

    @Test
    void servers_ofHttp2WithoutTls_areTheSameWithoutTls() {
        List<String> all = List.of("sws-tls", "sws-tls-jdk", "nginx-tls");
        assertThat(TlsLoad.HTTP2.servers(all)).isEqualTo(all);
        assertThat(TlsLoad.H2C.servers(all)).containsExactly("sws", "nginx-h2c");
        assertThat(TlsLoad.H2C.reference("nginx-tls")).isEqualTo("nginx-h2c");
        assertThat(TlsLoad.secure()).doesNotContain(TlsLoad.H2C).contains(TlsLoad.HTTP2);
    }

    @ParameterizedTest
    @CsvSource({"2.00s, 500", "500.00ms, 2000", "1.00m, 16.666666666666668"})
    void outcome_ofWrk_isPerSecond(String elapsed, double perS) throws IOException {
        assertThat(TlsLoad.KEPT.outcome("  1000 requests in " + elapsed + ", 1.20MB read\n"))
                .isEqualTo(new TlsLoad.Outcome(1_000, perS));
    }

    @Test
    void outcome_ofOpenssl_isPerSecond() throws IOException {
        assertThat(TlsLoad.RESUMED.outcome("900 connections in 3 real seconds, 1160 bytes read per connection\n"))
                .isEqualTo(new TlsLoad.Outcome(900, 300));
    }

    @ParameterizedTest
    @CsvSource({
        "Non-2xx or 3xx responses: 5",
        "'Socket errors: connect 0, read 3, write 0, timeout 0'",
        "'0 requests in 2.00s, 0.00B read'",
        "nothing"
    })
    void outcome_ofWrk_refusesRequestsThatFailed(String output) {
        assertThatThrownBy(() -> TlsLoad.LARGE.outcome(output)).isInstanceOf(IOException.class);
    }
}
