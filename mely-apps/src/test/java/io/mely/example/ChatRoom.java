// SPDX-License-Identifier: Apache-2.0
package io.mely.example;

import io.mely.Color;
import io.mely.Mely;
import io.mely.Stage;
import java.util.ArrayList;
import java.util.List;

/**
 * A small application with a bug. A chat room, a color of its own, hears what its guests say. What a guest says is filtered first, in the
 * guest's color, so that one long speech holds up nobody else.
 *
 * <p>The bug: a guest who leaves tells the room directly. Order holds from one sender to one color, and the last words take a detour, so they
 * may arrive after the goodbye. The repair: the goodbye goes the same way.
 */
class ChatRoom {
    private final List<String> heard = new ArrayList<>();
    private final Color own;
    final Stage<String> room;
    final Stage<String> filter;

    ChatRoom(Mely mely) {
        own = mely.colorAt(1);
        room = mely.stage("room", heard::add);
        filter = mely.stage("filter", words -> room.send(own, words.replace("darn", "****")));
    }

    void say(Color guest, String words) {
        filter.send(guest, words);
    }

    void leave(Color guest) {
        room.send(own, "bye");
    }

    /** What the room has heard. After the close. */
    List<String> heard() {
        return heard;
    }

    /** The same without the bug. */
    static final class Repaired extends ChatRoom {
        Repaired(Mely mely) {
            super(mely);
        }

        @Override
        void leave(Color guest) {
            filter.send(guest, "bye");
        }
    }
}
