// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.mely.bench.load.ActBooks.End;
import io.mely.bench.load.HostileClients.Act;
import io.mely.bench.load.Result.Failure;
import io.mely.bench.load.SoakCommand.Look;
import io.netty.channel.epoll.Epoll;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Property: whatever is lost or left behind is a problem of the verdict, and the books of hostile clients close. */
class SoakCommandTest {
    private static final String END = "connections: 5  refused: 0  failed: 0  still open: 0\n";
    private static final long MB = 1 << 20;

    private static Look look(int descriptors, long heapMb, long nativeMb, long directMb) {
        return new Look(0, true, descriptors, 0, new JvmMemory(heapMb * MB, nativeMb * MB, directMb * MB));
    }

    private static Result good(long responses) {
        Result good = new Result();
        good.responses = responses;
        return good;
    }

    /** The good case of all that follow, but for the hostile clients: there were none, which is a problem each. */
    private static List<String> problems(Look last, Result good, String end) {
        ActBooks<Act> none = new ActBooks<>(Act.class);
        List<String> problems = SoakCommand.problems(List.of(look(20, 10, 90, 2), last), good, none, end);
        List<String> rest =
                problems.stream().filter(p -> !p.contains(": 0 begun, 0 ended")).toList();
        assertThat(problems).hasSize(rest.size() + Act.values().length);
        return rest;
    }

    @Test
    void problems_areNoneIfAllIsAsBefore() {
        assertThat(problems(look(20, 10, 90, 2), good(5), END)).isEmpty();
        assertThat(problems(look(15, 8, 80, 1), good(5), END)).isEmpty();
    }

    @Test
    void problems_nameWhatHasGrown() {
        assertThat(problems(look(40, 10, 90, 2), good(5), END)).containsExactly("descriptors have grown from 20 to 40");
        assertThat(problems(look(20, 20, 90, 2), good(5), END))
                .singleElement()
                .asString()
                .startsWith("heap bytes have grown");
        assertThat(problems(look(20, 10, 90, 20), good(5), END))
                .singleElement()
                .asString()
                .startsWith("direct bytes have grown");
        assertThat(problems(look(20, 10, 200, 2), good(5), END))
                .singleElement()
                .asString()
                .startsWith("native bytes have grown");
    }

    @Test
    void problems_nameWhatGoodClientsLost() {
        Result good = good(5);
        good.count(Failure.CHECKSUM, 1);
        assertThat(problems(look(20, 10, 90, 2), good, END)).containsExactly("good clients: wrong checksum: 1");
        assertThat(problems(look(20, 10, 90, 2), good(0), END)).containsExactly("good clients: no response");
    }

    @Test
    void problems_nameWhatTheServerDoesNotSay() {
        assertThat(problems(look(20, 10, 90, 2), good(5), END.replace("open: 0", "open: 1")))
                .containsExactly("the server does not end with 'still open: 0'");
        assertThat(problems(look(20, 10, 90, 2), good(5), END.replace("failed: 0", "failed: 1")))
                .containsExactly("the server does not end with 'failed: 0'");
    }

    /** Each act has an end, also against a server that answers what none of them may get. */
    @Test
    void hostileClients_closeTheirBooks() throws Exception {
        assumeTrue(Epoll.isAvailable());
        try (ScriptedServer server = new ScriptedServer((number, path, to) -> ScriptedServer.ok(to))) {
            HostileClients clients = new HostileClients(server.port(), "/small", "/large", 5_000_000, 1);
            clients.start();
            while (server.connections.get() < 2 * Act.values().length) {
                Thread.onSpinWait();
            }
            clients.stop();
            ActBooks<Act> books = clients.books();
            for (Act act : Act.values()) {
                int ended = 0;
                for (End end : End.values()) {
                    ended += books.ended(act, end);
                }
                assertThat(ended).as(act.name()).isEqualTo(books.begun(act)).isPositive();
            }
            // Its one file has twelve bytes, and it takes any head.
            assertThat(books.ended(Act.HALF_CLOSE, End.WRONG)).isPositive();
            assertThat(books.wrong()).isNotEmpty();
        }
    }

    /** A few seconds of the real thing. */
    @ParameterizedTest
    @ValueSource(strings = {"SLOW_READER", "--tls RAPID_RESET"})
    void execute_findsNothingLeftBehind(String options, @TempDir Path dir) throws IOException {
        Path jar = Path.of("../mely-apps", System.getProperty("mely.target", "target"), "sws.jar");
        assumeTrue(Epoll.isAvailable() && Files.exists(jar), "needs a packaged server");
        Path json = dir.resolve("soak.json");
        List<String> args = new ArrayList<>(
                List.of("--sws", jar.toString(), "--minutes", "0.1", "--rate", "100", "--json", json.toString()));
        List<String> words = List.of(options.split(" ", -1));
        String act = words.get(words.size() - 1);
        args.addAll(words.subList(0, words.size() - 1));
        assertThat(SoakCommand.execute(args.toArray(String[]::new))).isZero();
        assertThat(json).content().contains("\"problems\": []", '"' + act + '"');
    }

    @Test
    void execute_saysThatAServerDoesNotStart() {
        assertThat(SoakCommand.execute("--sws", "/nowhere.jar")).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"--minutes 0", "--rate 0", "--clients 0"})
    void execute_refuses(String args) {
        assertThat(SoakCommand.execute(args.split(" ", -1))).isEqualTo(2);
    }
}
