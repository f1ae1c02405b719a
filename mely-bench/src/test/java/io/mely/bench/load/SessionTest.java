// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mely.bench.load.Session.Burst;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Property: a log of httperf becomes sessions of bursts; what is not understood is refused with its line. */
class SessionTest {
    @Test
    void parse_readsBurstsAndThoughts() {
        List<Session> sessions = Session.parse(List.of(
                "# from the manual, shortened",
                "/foo.html think=2.0",
                "  /pict1.gif",
                "\t/pict2.gif",
                "/foo2.html method=get",
                "",
                "",
                "/solo"));
        assertThat(sessions).hasSize(2);
        List<Burst> bursts = sessions.get(0).bursts();
        assertThat(bursts).extracting(b -> b.targets().size()).containsExactly(3, 1);
        assertThat(bursts).extracting(Burst::thinkNs).containsExactly(2_000_000_000L, 0L);
        assertThat(bursts.get(0).targets())
                .extracting(t -> t.path)
                .containsExactly("/foo.html", "/pict1.gif", "/pict2.gif");
        assertThat(sessions.get(1).bursts()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "no-slash",
                "/a method=POST",
                "/a think=-1",
                "/a think=x",
                "/a what=ever",
                "  /indented",
                "",
                "# only"
            })
    void parse_refuses(String log) {
        assertThatThrownBy(() -> Session.parse(log.lines().toList())).isInstanceOf(IllegalArgumentException.class);
    }
}
