// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.mely.Mely;
import io.mely.Stage;
import io.mely.sws.SwsConfig.Transport;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

// Requests that an application answers, at once or later, beside those that files answer.
@Timeout(60)
class ApplicationTest extends SwsServerHarness {
    private final BlockingQueue<Request> held = new LinkedBlockingQueue<>();

    @Override
    Transport transport() {
        return Transport.AUTO;
    }

    /** Answers below /app/, and keeps what is below /app/later/. */
    private final class Echo implements Application {
        private final Stage<Request> echo;

        Echo(Mely mely) {
            echo = mely.stage(
                    "Echo",
                    request -> request.answer(
                            Answer.text(200, request.path() + "|" + request.query() + "|" + request.takesGzip())
                                    .with("X-By", "echo")));
        }

        @Override
        public boolean take(Request request) {
            if (request.path().startsWith("/app/later/")) {
                return held.add(request);
            }
            if (request.path().startsWith("/app/fails")) {
                throw new IllegalStateException("planned");
            }
            return request.path().startsWith("/app/") && echo.offer(request.color(), request);
        }
    }

    private RawClient started() throws IOException {
        application = Echo::new;
        start();
        return connect();
    }

    private Request later() throws InterruptedException {
        Request request = held.poll(RawClient.TIMEOUT_MS, TimeUnit.MILLISECONDS);
        assertThat(request).isNotNull();
        return request;
    }

    private static String get(String target) {
        return "GET " + target + " HTTP/1.1\r\n" + HOST + "\r\n";
    }

    @Test
    void requests_areTheApplications_orTheFiles() throws IOException {
        RawClient client = started();
        client.send(get("/app/x%20y?a=1&b=%3F"));
        RawClient.Response response = client.response();
        assertThat(response.status()).isEqualTo(200);
        assertThat(response.text()).isEqualTo("/app/x%20y|a=1&b=%3F|false\n");
        assertThat(response.field("x-by")).isEqualTo("echo");
        assertThat(response.field("date")).isNotNull();
        client.send(get("/a.html"));
        assertThat(client.response().text()).isEqualTo("hello");
        client.send("GET /app/?  HTTP/1.1\r\n" + HOST + "Accept-Encoding: gzip\r\n\r\n");
        assertThat(client.response().status()).as("two blanks").isEqualTo(400);
    }

    @Test
    void head_hasNoBody_andOtherMethodsAreNotAsked() throws IOException {
        RawClient client = started();
        client.send("HEAD /app/x HTTP/1.1\r\n" + HOST + "\r\n");
        assertThat(client.response(true).status()).isEqualTo(200);
        client.send("POST /app/x HTTP/1.1\r\n" + HOST + "Content-Length: 0\r\n\r\n");
        assertThat(client.response().status()).isEqualTo(405);
    }

    // The answers come in the order of the requests, whichever is ready first.
    @Test
    void pipelined_requestsWaitForTheAnswerBefore() throws Exception {
        RawClient client = started();
        client.send(get("/app/1") + get("/app/later/2") + get("/a.html") + get("/app/3"));
        assertThat(client.response().text()).startsWith("/app/1|");
        Request later = later();
        later.answer(Answer.text(200, "later"));
        assertThat(client.response().text()).isEqualTo("later\n");
        assertThat(client.response().text()).isEqualTo("hello");
        assertThat(client.response().text()).startsWith("/app/3|");
        assertThatIllegalStateException().isThrownBy(() -> later.answer(Answer.text(200, "again")));
    }

    @Test
    void largeAnswers_areSentWhole_alsoBehindOthers() throws Exception {
        RawClient client = started();
        byte[] large = "0123456789".repeat(50_000).getBytes(StandardCharsets.US_ASCII);
        client.send(get("/a.html") + get("/app/later/large") + get("/a.html"));
        later().answer(Answer.of(200, "text/plain", large));
        assertThat(client.response().text()).isEqualTo("hello");
        assertThat(client.response().body()).isEqualTo(large);
        assertThat(client.response().text()).isEqualTo("hello");
    }

    @Test
    void manyRequests_ofManyConnections_answeredByAnotherThread() throws Exception {
        started();
        List<RawClient> all = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            RawClient client = connect();
            all.add(client);
            client.send(get("/app/later/" + i) + get("/app/later/again/" + i));
        }
        AtomicBoolean isOver = new AtomicBoolean();
        Thread answering = new Thread(() -> {
            while (!isOver.get()) {
                Request request = held.poll();
                if (request == null) {
                    Thread.onSpinWait();
                } else {
                    request.answer(Answer.text(200, request.path()));
                }
            }
        });
        answering.start();
        for (int i = 0; i < 50; i++) {
            assertThat(all.get(i).response().text()).isEqualTo("/app/later/" + i + "\n");
            assertThat(all.get(i).response().text()).isEqualTo("/app/later/again/" + i + "\n");
        }
        isOver.set(true);
        answering.join();
    }

    @Test
    void clientThatIsGone_isNotTold() throws Exception {
        RawClient client = started();
        client.send(get("/app/later/1"));
        Request request = later();
        client.close();
        request.answer(Answer.text(200, "to nobody"));
        RawClient other = connect();
        other.send(get("/app/2"));
        assertThat(other.response().status()).isEqualTo(200);
    }

    // A drain waits for an answer that is on its way.
    @Test
    void close_waitsForTheAnswer() throws Exception {
        RawClient client = started();
        client.send(get("/app/later/1"));
        Request request = later();
        Thread closing = new Thread(() -> server.close(PATIENCE));
        closing.start();
        await(() -> refusesConnections());
        request.answer(Answer.text(200, "in time"));
        RawClient.Response response = client.response();
        assertThat(response.text()).isEqualTo("in time\n");
        assertThat(response.field("connection")).isNull();
        closing.join();
    }

    private boolean refusesConnections() {
        try {
            new RawClient(server.localAddress()).close();
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    @Test
    void answerWithAWrongField_isRefusedToTheApplication() throws Exception {
        RawClient client = started();
        client.send(get("/app/later/1"));
        Request request = later();
        try {
            request.answer(Answer.text(200, "x").with("X", "a\r\nb"));
            throw new AssertionError("it splits the answer");
        } catch (IllegalArgumentException expected) {
            assertThat(expected).hasMessageContaining("X=");
        }
        request.answer(Answer.text(200, "y"));
        assertThat(client.response().text()).isEqualTo("y\n");
    }
}
