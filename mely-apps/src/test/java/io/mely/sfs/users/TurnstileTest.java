// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.users;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TurnstileTest {
    @Test
    void enter_moreThanThereIsRoomFor_waitInTheirOrder() {
        Turnstile turnstile = new Turnstile(2);
        List<Integer> begun = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            int each = i;
            turnstile.enter(() -> begun.add(each));
        }
        assertThat(begun).containsExactly(0, 1);
        turnstile.leave();
        assertThat(begun).containsExactly(0, 1, 2);
        turnstile.leave();
        turnstile.leave();
        turnstile.leave();
        turnstile.leave();
        assertThat(begun).containsExactly(0, 1, 2, 3, 4);
        turnstile.enter(() -> begun.add(5));
        assertThat(begun).endsWith(5);
    }

    @Test
    void max_ofNobody_isRefused() {
        assertThatThrownBy(() -> new Turnstile(0)).hasMessageContaining("max=0");
    }
}
