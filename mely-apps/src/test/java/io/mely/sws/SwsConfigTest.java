// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mely.cli.CommonSettings;
import io.mely.cli.SettingException;
import io.mely.sws.http.HeaderRule;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class SwsConfigTest {
    private static SwsConfig.Builder builder() {
        return SwsConfig.builder(Path.of("."));
    }

    @Test
    void get_ofWhatWasNotSet_isTheDefault() {
        SwsConfig config = builder().set(SwsSettings.MAX_CLIENTS, 5).build();
        assertThat(config.get(SwsSettings.MAX_CLIENTS)).isEqualTo(5);
        assertThat(config.get(SwsSettings.IDLE_TIMEOUT)).isEqualTo(Duration.ofSeconds(75));
    }

    // The message says what was wrong, and what would do.
    @Test
    void set_whatIsOutOfRange_isNamed() {
        assertThatThrownBy(() -> builder().set(SwsSettings.MAX_CLIENTS, 0))
                .isInstanceOf(SettingException.class)
                .hasMessage("max-clients=0: not allowed; allowed: 1 to 16777216");
        assertThatThrownBy(() -> builder().set(SwsSettings.SLICE, 1))
                .hasMessage("slice=1: not allowed; allowed: a size, 4 KiB to 1 GiB");
        assertThatThrownBy(() -> builder().set(SwsSettings.BODY_MAX, -1))
                .hasMessage("body-max=-1: not allowed; allowed: a size, 0 B or more");
        assertThatThrownBy(() -> builder().set(SwsSettings.INDEX_FILES, List.of("a", ".b")))
                .hasMessage("index-files=[a, .b]: not allowed; allowed: file names without slash or leading dot");
        HeaderRule rule = HeaderRule.parse("** X: y");
        assertThatThrownBy(() ->
                        builder().set(SwsSettings.HEADERS, Collections.nCopies(HeaderRule.RULES_MAX + 1, rule)))
                .hasMessageContaining("at most 1000 lines");
    }

    @Test
    void set_noValue_isNamed() {
        assertThatThrownBy(() -> builder().set(SwsSettings.IDLE_TIMEOUT, null))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("idle-timeout");
    }

    @Test
    void settingOfAnother_isRefused() {
        assertThatThrownBy(() -> builder().set(CommonSettings.STATS, true))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("setting=stats");
        SwsConfig config = builder().build();
        assertThatThrownBy(() -> config.get(CommonSettings.STATS)).isInstanceOf(IllegalArgumentException.class);
    }

    // Each is allowed for itself.
    @Test
    void build_whatDoesNotGoTogether_isNamed() {
        SwsConfig.Builder shortHead =
                builder().set(SwsSettings.REQUEST_LINE_MAX, 4096).set(SwsSettings.HEADER_MAX, 1024);
        assertThatThrownBy(shortHead::build)
                .hasMessage("header-max=1024: not allowed; allowed: at least request-line-max, 4 KiB");
        assertThatThrownBy(builder().set(SwsSettings.PROXY_PROTOCOL, true)::build)
                .hasMessage("proxy-protocol=true: of no use without trusted-proxies");
        SwsConfig.Builder nowhere = builder().bind(InetSocketAddress.createUnresolved("nowhere", 0));
        assertThatThrownBy(nowhere::build).hasMessageStartingWith("bind must be an address that resolves");
    }

    // What was set is not changed afterwards, by whoever has the list or the builder.
    @Test
    void config_isImmutable() {
        List<String> names = new ArrayList<>(List.of("a.html"));
        SwsConfig.Builder builder = builder().set(SwsSettings.INDEX_FILES, names);
        names.add("b.html");
        SwsConfig config = builder.build();
        builder.set(SwsSettings.INDEX_FILES, List.of());
        assertThat(config.get(SwsSettings.INDEX_FILES)).containsExactly("a.html");
    }

    @Test
    void configs_ofTheSameValues_areEqual() {
        SwsConfig one = builder().set(SwsSettings.MAX_CLIENTS, 5).build();
        assertThat(one).isEqualTo(builder().set(SwsSettings.MAX_CLIENTS, 5).build());
        assertThat(one)
                .hasSameHashCodeAs(builder().set(SwsSettings.MAX_CLIENTS, 5).build());
        assertThat(one).isNotEqualTo(builder().build());
        assertThat(one.toString()).contains("max-clients=5");
    }
}
