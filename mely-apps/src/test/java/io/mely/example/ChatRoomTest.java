// SPDX-License-Identifier: Apache-2.0
package io.mely.example;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.Color;
import io.mely.simulation.MelySimulation;
import io.mely.simulation.Simulation;
import java.util.Iterator;
import java.util.List;

// The worked example of docs/simulation.md: what a user writes.
class ChatRoomTest {
    @MelySimulation(seeds = 2_000)
    void theGoodbyeComesLast(Simulation.World world) {
        check(world, new ChatRoom.Repaired(world.mely()));
    }

    static void check(Simulation.World world, ChatRoom chat) {
        Color guest = world.mely().colorAt(2);
        Iterator<String> words = List.of("hello", "darn rain", "see you").iterator();
        world.outsideThread("guest", () -> {
            if (words.hasNext()) {
                chat.say(guest, words.next());
                return true;
            }
            chat.leave(guest);
            return false;
        });
        world.checkAtEnd(() -> assertThat(chat.heard()).containsExactly("hello", "**** rain", "see you", "bye"));
    }
}
