// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import at.favre.lib.crypto.bcrypt.BCrypt;
import io.mely.Mely;
import io.mely.Stage;
import io.mely.runtime.HandlerObserver;
import io.mely.runtime.Hooks;
import io.mely.sws.proxy.AddressRange;
import io.mely.sws.rules.AccessRule;
import io.mely.sws.rules.LoginRule;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Rules that change while a request is under way, and clients that share an address or a proxy. */
class GateReloadTest extends SwsServerHarness {
    private static final int COST = 4;

    @Override
    SwsConfig.Transport transport() {
        return SwsConfig.Transport.AUTO;
    }

    private SwsConfig config(UnaryOperator<SwsConfig.Builder> rules) {
        return rules.apply(SwsConfig.builder(root)
                        .bind(new InetSocketAddress("127.0.0.1", 0))
                        .set(SwsSettings.CORES, 2))
                .build();
    }

    /** Reloads before a stage runs for the n-th time. */
    private void startAndReloadAt(
            String stageName, int nth, UnaryOperator<SwsConfig.Builder> before, UnaryOperator<SwsConfig.Builder> after)
            throws IOException {
        AtomicInteger runs = new AtomicInteger();
        HandlerObserver.Factory observers = core -> new HandlerObserver() {
            @Override
            public void began(Stage<?> stage, int slot) {
                if (stage.name().equals(stageName) && runs.incrementAndGet() == nth) {
                    reload(after);
                }
            }

            @Override
            public void ended() {}

            @Override
            public void sent(Stage<?> stage, int slot) {}
        };
        server = SwsServer.start(
                config(before), runtime -> Hooks.NONE.withObservers(observers).on(runtime));
    }

    private void reload(UnaryOperator<SwsConfig.Builder> rules) {
        try {
            server.reload(config(rules));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String get(String target, String fields) {
        return "GET " + target + " HTTP/1.1\r\n" + HOST + fields + "\r\n";
    }

    private static UnaryOperator<SwsConfig.Builder> denying(String pattern) {
        return builder -> builder.set(SwsSettings.ACCESS, List.of(AccessRule.parse(pattern + " deny all")));
    }

    // A file that the new rules keep back is not served to whom the old ones let in.
    @Test
    void reload_beforeTheFileIsLoaded_rulesAreAskedAgain() throws IOException {
        startAndReloadAt("LoadFile", 1, denying("/none"), denying("/b.txt"));
        RawClient client = connect();
        assertThat(client.fetch("/b.txt").status()).isEqualTo(403);
        assertThat(client.fetch("/a.html").text()).isEqualTo("hello");
    }

    @Test
    void reload_beforeTheFileIsLoaded_openFilesAreServed() throws IOException {
        startAndReloadAt("LoadFile", 1, denying("/b.txt"), UnaryOperator.identity());
        assertThat(connect().fetch("/a.html").text()).isEqualTo("hello");
        assertThat(connect().fetch("/b.txt").status()).isEqualTo(200);
    }

    // Passwords.

    private UnaryOperator<SwsConfig.Builder> logins(String... namesAndPasswords) throws IOException {
        List<String> lines = new ArrayList<>();
        for (String each : namesAndPasswords) {
            String[] parts = each.split(":");
            lines.add(parts[0] + ":" + BCrypt.withDefaults().hashToString(COST, parts[1].toCharArray()));
        }
        Path file = Files.write(temp.resolve("htpasswd"), lines);
        return builder -> builder.set(SwsSettings.LOGINS, List.of(LoginRule.parse("/dir/** " + file)));
    }

    private static String login(String nameAndPassword) {
        byte[] bytes = nameAndPassword.getBytes(StandardCharsets.UTF_8);
        return "Authorization: Basic " + Base64.getEncoder().encodeToString(bytes) + "\r\n";
    }

    // A wrong password is of its own request, and not of the next one of the connection.
    @Test
    void reload_whileAPasswordIsChecked_nothingIsLeftOfIt() throws IOException {
        UnaryOperator<SwsConfig.Builder> rules = logins("ada:secret");
        startAndReloadAt("CheckInCache", 2, rules, UnaryOperator.identity());
        RawClient client = connect();
        assertThat(client.send(get("/dir/", login("ada:wrong"))).response().status())
                .isEqualTo(200);
        reload(rules);
        assertThat(client.send(get("/dir/", login("ada:secret"))).response().status())
                .isEqualTo(200);
    }

    // The same where the new rules answer before a password matters.
    @Test
    void reload_whileAPasswordIsChecked_toRulesThatRefuse_nothingIsLeftOfIt() throws IOException {
        UnaryOperator<SwsConfig.Builder> rules = logins("ada:secret");
        startAndReloadAt("CheckInCache", 2, rules, denying("/dir/**"));
        RawClient client = connect();
        assertThat(client.send(get("/dir/", login("ada:wrong"))).response().status())
                .isEqualTo(403);
        reload(rules);
        assertThat(client.send(get("/dir/", login("ada:secret"))).response().status())
                .isEqualTo(200);
    }

    // As many as come by one address: who is right is not refused for the others that are being checked.
    @Test
    void logins_manyWhoAreRightAtOnce_areLetIn() throws IOException {
        String[] people = new String[20];
        for (int i = 0; i < people.length; i++) {
            people[i] = "user" + i + ":secret" + i;
        }
        UnaryOperator<SwsConfig.Builder> rules = logins(people);
        start(builder -> rules.apply(builder).set(SwsSettings.LOGIN_TRIES, 1));
        List<RawClient> many = new ArrayList<>();
        for (String each : people) {
            many.add(connect().send(get("/dir/", login(each))));
        }
        for (RawClient each : many) {
            assertThat(each.response().status()).isEqualTo(200);
        }
    }

    // Who was right before a reload is let in after it, though others of the address have used up its tries.
    @Test
    void reload_whoIsKnownStaysKnown() throws IOException {
        UnaryOperator<SwsConfig.Builder> rules = logins("ada:secret");
        start(builder -> rules.apply(builder).set(SwsSettings.LOGIN_TRIES, 1));
        RawClient client = connect();
        assertThat(client.send(get("/dir/", login("ada:secret"))).response().status())
                .isEqualTo(200);
        server.reload();
        int status = 401;
        while (status == 401) {
            status = client.send(get("/dir/", login("ada:wrong"))).response().status();
        }
        assertThat(status).isEqualTo(429);
        assertThat(client.send(get("/dir/", login("ada:secret"))).response().status())
                .isEqualTo(200);
    }

    // Proxies.

    // A proxy that names no client does not lend it its own address.
    @Test
    void access_proxyNamesNoClient_isAllowedByNoRange() throws IOException {
        start(builder -> builder.set(SwsSettings.TRUSTED_PROXIES, List.of(AddressRange.parse("127.0.0.1")))
                .set(
                        SwsSettings.ACCESS,
                        List.of(
                                AccessRule.parse("/dir/** allow 127.0.0.0/8"),
                                AccessRule.parse("/dir/** deny all"),
                                AccessRule.parse("/b.txt deny 127.0.0.0/8"),
                                AccessRule.parse("/** allow all"))));
        RawClient proxy = connect();
        for (String fields : List.of("", "X-Forwarded-For: unknown\r\n", "X-Forwarded-For: 127.0.0.1\r\n")) {
            assertThat(proxy.send(get("/dir/", fields)).response().status())
                    .as(fields)
                    .isEqualTo(403);
        }
        assertThat(proxy.send(get("/dir/", "X-Forwarded-For: 127.0.0.2\r\n"))
                        .response()
                        .text())
                .isEqualTo("index");
        assertThat(proxy.fetch("/b.txt").status()).isEqualTo(403);
        assertThat(proxy.fetch("/a.html").status()).isEqualTo(200);
    }

    // Applications.

    private static final class Nothing implements Application {
        Nothing(Mely mely) {
            assertThat(mely).isNotNull();
        }

        @Override
        public boolean take(Request request) {
            return false;
        }

        @Override
        public CompletionStage<Void> drain() {
            return CompletableFuture.completedFuture(null);
        }
    }

    // The rules would not hold for what it answers.
    @Test
    void rules_withAnApplication_areRefused() throws IOException {
        application = Nothing::new;
        assertThatThrownBy(() -> start(denying("/**")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("gate must be empty with an application");
        assertThatThrownBy(() -> start(builder ->
                        builder.sites(List.of(new HostedSite(List.of("one.example"), config(denying("/**")))))))
                .isInstanceOf(IllegalArgumentException.class);
        start();
        assertThatThrownBy(() -> server.reload(config(denying("/**")))).isInstanceOf(IllegalArgumentException.class);
        assertThat(connect().fetch("/a.html").text()).isEqualTo("hello");
    }
}
