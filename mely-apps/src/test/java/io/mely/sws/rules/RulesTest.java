// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import at.favre.lib.crypto.bcrypt.BCrypt;
import io.mely.sws.files.UriText;
import io.mely.sws.http.PathPattern;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import java.util.logging.StreamHandler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is decided by a path. */
class RulesTest {
    private static final int COST = 4;

    @TempDir
    Path temp;

    // Redirects.

    @ParameterizedTest
    @CsvSource({
        "301 /old /new, /old, /new",
        "301 /old /new, /old/, ",
        "301 /old /new, /older, ",
        "302 /old/** /new/$1, /old/a/b.html, /new/a/b.html",
        "302 /old/** /new/$1, /old/, /new/",
        "307 /old/* /new/$1, /old/a/b, ",
        "308 /*/a-**.html https://example.org/$2/$1, /x/a-b/c.html, https://example.org/b/c/x",
        "301 /a?c /$$1, /abc, /$1",
        "301 /blog/** /search?q=$1, /blog/a&b=c+d, /search?q=a%26b%3dc%2bd",
        "301 /** /$1, /a b/ü, ",
        "301 /go/** /$1, /go/a b/ü, /a%20b/%C3%BC",
    })
    void redirect_followsItsPattern(String rule, String path, String location) {
        assertThat(Redirect.parse(rule).locationOf(path, "")).isEqualTo(location);
    }

    @ParameterizedTest
    @CsvSource({
        "301 /old /new, /new?a=1&b=2",
        "301 /old /new?x=y, /new?x=y&a=1&b=2",
        "301 /old /new#part, /new?a=1&b=2#part",
        "301 /old https://example.org, https://example.org?a=1&b=2",
    })
    void redirect_keepsTheQuery(String rule, String location) {
        assertThat(Redirect.parse(rule).locationOf("/old", "?a=1&b=2")).isEqualTo(location);
        assertThat(Redirect.parse(rule).locationOf("/old", "?"))
                .isEqualTo(Redirect.parse(rule).toString().split(" ")[2]);
    }

    // Whatever a client puts into the path: it stays on this host, and in its field.
    @Test
    void redirect_isNotOpen() {
        Redirect wide = Redirect.parse("301 /go** /$1");
        assertThat(wide.locationOf("/go/evil.example", "")).isEqualTo("/evil.example");
        assertThat(wide.locationOf("/go//evil.example", "")).isEqualTo("/evil.example");
        assertThat(wide.locationOf("/go/\\evil.example", "")).isEqualTo("/%5Cevil.example");
        assertThat(wide.locationOf("/go/a\r\nSet-Cookie: x", "")).isEqualTo("/a%0D%0ASet-Cookie:%20x");
        Redirect other = Redirect.parse("301 /** https://example.org/$1");
        assertThat(other.locationOf("/@evil.example", "")).isEqualTo("https://example.org/@evil.example");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "301 /a",
                "300 /a /b",
                "301 a /b",
                "301 /a b",
                "301 /a //b",
                "301 /** //$1",
                "301 /** $1",
                "301 /** https://$1",
                "301 /** https://example.org$1",
                "301 /** https://$1.example.org/",
                "301 /** javascript:alert(1)",
                "301 /a /$1",
                "301 /* /$2",
                "301 /* /$x",
                "301 /* /$",
                "301 /a /\u00fc",
                "301 /a /b\rc",
            })
    void redirect_whatIsNone_isRefused(String text) {
        assertThat(Redirect.parse(text)).isNull();
    }

    // A rule that leads to itself would send a client round for ever: it is passed over.
    @Test
    void redirect_toTheSamePath_isNone() {
        Redirect rule = Redirect.parse("302 /** /index.html");
        assertThat(rule.locationOf("/a", "?q")).isEqualTo("/index.html?q");
        assertThat(rule.locationOf("/index.html", "?q")).isNull();
    }

    // The groups of a path that matches make it up again, whatever pattern and path are.
    @Test
    void groups_makeUpThePath() {
        Random random = new Random(7);
        int matched = 0;
        for (int i = 0; i < 20_000; i++) {
            String pattern = "/" + text(random, "a/*?*", 6);
            String path = "/" + text(random, "a/b", 8);
            List<String> groups = new PathRule(pattern).groupsOf(path);
            boolean isMatch = PathPattern.matches(pattern, path);
            assertThat(groups != null).as("%s %s", pattern, path).isEqualTo(isMatch);
            assertThat(new PathRule(pattern).matches(path)).isEqualTo(isMatch);
            if (groups != null) {
                matched++;
                assertMadeUp(pattern, path, groups);
            }
        }
        assertThat(matched).isGreaterThan(1_000);
    }

    private static void assertMadeUp(String pattern, String path, List<String> groups) {
        int at = 0;
        int group = 0;
        int i = 0;
        while (i < pattern.length()) {
            char c = pattern.charAt(i);
            if (c == '*') {
                boolean isDouble = i + 1 < pattern.length() && pattern.charAt(i + 1) == '*';
                String value = groups.get(group++);
                assertThat(path.substring(at)).as("%s %s", pattern, path).startsWith(value);
                assertThat(isDouble || value.indexOf('/') < 0)
                        .as("%s %s", pattern, path)
                        .isTrue();
                at += value.length();
                i += isDouble ? 2 : 1;
            } else {
                assertThat(c == '?' || path.charAt(at) == c)
                        .as("%s %s", pattern, path)
                        .isTrue();
                at++;
                i++;
            }
        }
        assertThat(at).isEqualTo(path.length());
        assertThat(group).isEqualTo(groups.size());
    }

    private static String text(Random random, String letters, int most) {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(most + 1); i > 0; i--) {
            text.append(letters.charAt(random.nextInt(letters.length())));
        }
        return text.toString();
    }

    // Rewrites.

    @ParameterizedTest
    @CsvSource({
        "/v*/** /$2, /v12/a/b.js, /a/b.js",
        "/app/** /app.html, /app/x/y, /app.html",
        "/a* /x/.$1/y, /a./b, ",
        "/a* /x/.$1/y, /a., /y",
        "/a* /.$1/y, /a., /",
        "/p/* /100%/$1, /p/a%41, /100%/a%41",
    })
    void rewrite_leadsToACanonicalPath(String rule, String path, String other) {
        assertThat(Rewrite.parse(rule).pathOf(path)).isEqualTo(other);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/a", "/a b", "a /b", "/a /$1", "/a /b\\c", "/a https://example.org/"})
    void rewrite_whatIsNone_isRefused(String text) {
        assertThat(Rewrite.parse(text)).isNull();
    }

    // Access.

    private static Gate gate(GateRules rules) throws IOException {
        return new Gate(
                rules,
                new Gate.Names(List.of("index.html"), List.of(".html"), List.of(".gz"), RulesTest::fallback),
                Map.of());
    }

    private static GateRules access(AccessRule... rules) {
        return new GateRules(List.of(), List.of(), List.of(rules), List.of());
    }

    private static String fallback(String path) {
        return path.startsWith("/app/") ? "/app.html" : path.startsWith("/from/") ? "/short" : null;
    }

    private static boolean isOpen(Gate gate, String path, String address) throws IOException {
        return gate.isOpenTo(gate.namesOf(path, gate.rewritten(path)), InetAddress.getByName(address), true);
    }

    @Test
    void access_firstRuleThatMatchesCounts() throws IOException {
        Gate gate = gate(access(
                AccessRule.parse("/admin/** deny 10.0.0.66"),
                AccessRule.parse("/admin/** allow 10.0.0.0/8"),
                AccessRule.parse("/admin/** deny all")));
        assertThat(isOpen(gate, "/admin/a", "10.1.2.3")).isTrue();
        assertThat(isOpen(gate, "/admin/a", "10.0.0.66")).isFalse();
        assertThat(isOpen(gate, "/admin/a", "11.1.2.3")).isFalse();
        assertThat(isOpen(gate, "/admin/a", "::1")).isFalse();
        assertThat(isOpen(gate, "/a", "11.1.2.3")).isTrue();
    }

    // A file is kept from others by whatever name they ask for it.
    @Test
    void access_holdsForEachNameOfAFile() throws IOException {
        GateRules rules = new GateRules(
                List.of(),
                List.of(Rewrite.parse("/r /about.html")),
                List.of(
                        AccessRule.parse("/about.html deny all"),
                        AccessRule.parse("/dir/index.html deny all"),
                        AccessRule.parse("/app.html deny all"),
                        AccessRule.parse("/s.css deny all")),
                List.of());
        for (String path : List.of("/about.html", "/about", "/r", "/dir/", "/app/x", "/s.css", "/s.css.gz")) {
            assertThat(isOpen(gate(rules), path, "10.1.2.3")).as(path).isFalse();
        }
        assertThat(isOpen(gate(rules), "/other", "10.1.2.3")).isTrue();
    }

    // A rule for the short name holds for the long ones.
    @ParameterizedTest
    @CsvSource({
        "/about, /about.html",
        "/about, /about.html.gz",
        "/, /index.html",
        "/, /index",
        "/team/, /team/index.html",
        "/team/, /team/index.html.gz",
        "/team/index, /team/",
        "/app, /app.html",
        "/short, /from/x",
        "/short.html, /from/x",
    })
    void access_ofAName_holdsForTheOthersOfItsFile(String rule, String asked) throws IOException {
        Gate gate = gate(access(AccessRule.parse(rule + " deny all")));
        assertThat(isOpen(gate, asked, "10.1.2.3")).isFalse();
        assertThat(isOpen(gate, "/other/about.html", "10.1.2.3")).isTrue();
        assertThat(isOpen(gate, "/.html", "10.1.2.3")).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/a deny", "/a refuse all", "a deny all", "/a deny localhost", "/a deny 10.0.0.0/33"})
    void access_whatIsNone_isRefused(String text) {
        assertThat(AccessRule.parse(text)).isNull();
    }

    // Passwords.

    private static String hash(String password) {
        return BCrypt.with(BCrypt.Version.VERSION_2Y).hashToString(COST, password.toCharArray());
    }

    private Path users(String... lines) throws IOException {
        return Files.write(temp.resolve("htpasswd"), List.of(lines));
    }

    private static Credentials given(String name, String password) {
        byte[] both = (name + ":" + password).getBytes(StandardCharsets.UTF_8);
        return Credentials.parse("Basic " + Base64.getEncoder().encodeToString(both));
    }

    // Hashes of other makers, by their versions; what is behind 72 bytes does not count; an unknown name is never
    // right.
    @Test
    void htpasswd_matchesWhatIsRight() throws IOException {
        Htpasswd users = Htpasswd.read(users(
                "# people",
                "",
                "ada:" + hash("secret"),
                "bob:$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW", // U*U, of crypt_blowfish's tests
                "long:" + hash("x".repeat(72))));
        assertThat(users.matches("ada", utf8("secret"))).isTrue();
        assertThat(users.matches("ada", utf8("Secret"))).isFalse();
        assertThat(users.matches("ada", utf8(""))).isFalse();
        assertThat(users.matches("bob", utf8("U*U"))).isTrue();
        assertThat(users.matches("long", utf8("x".repeat(80)))).isTrue();
        assertThat(users.matches("long", utf8("x".repeat(71)))).isFalse();
        assertThat(users.matches("eve", utf8("secret"))).isFalse();
        assertThat(Htpasswd.read(users()).matches("eve", utf8(""))).isFalse();
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ada",
                "ada:",
                ":$2y$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
                "ada:secret",
                "ada:{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=",
                "ada:$apr1$a$b",
                "ada:$2y$05$short",
                "ada:$2y$99$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
            })
    void htpasswd_lineThatIsNone_isNamed(String line) throws IOException {
        Path file = users("# people", line);
        assertThatThrownBy(() -> Htpasswd.read(file))
                .isInstanceOf(IOException.class)
                .hasMessage(file + ":2: not a name, a colon and a bcrypt hash, as htpasswd -B writes it");
    }

    @Test
    void htpasswd_fileThatCanNotBeRead_isNamed() throws IOException {
        Path missing = temp.resolve("missing");
        assertThatThrownBy(() -> Htpasswd.read(missing)).hasMessage(missing + ": no such file");
        Path twice = users("ada:" + hash("a"), "ada:" + hash("b"));
        assertThatThrownBy(() -> Htpasswd.read(twice)).hasMessage(twice + ":2: a second hash for the same name");
        Path binary = Files.write(temp.resolve("binary"), new byte[] {(byte) 0xff, 'a'});
        assertThatThrownBy(() -> Htpasswd.read(binary)).hasMessage(binary + ": not UTF-8 text");
        Path long1 = Files.write(temp.resolve("long"), new byte[(1 << 20) + 1]);
        assertThatThrownBy(() -> Htpasswd.read(long1)).hasMessage(long1 + ": longer than 1 MiB");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Basic", "Basic !", "Basic YWRh", "Bearer YWRhOmE=", "Basic YQA6YQ==", "Basic /zph"})
    void credentials_whatIsNone_isRefused(String field) {
        assertThat(Credentials.parse(field)).isNull();
    }

    @Test
    void credentials_doNotShowThePassword() {
        assertThat(given("ada", "a:b").name()).isEqualTo("ada");
        assertThat(given("ada", "a:b").password()).isEqualTo(utf8("a:b"));
        assertThat(given("ada", "a:b")).hasToString("Credentials[ada]");
        assertThat(Credentials.parse("bAsIc  YWRhOmE= ")).isNotNull();
    }

    // Who was right once costs no hash again; who is wrong does; those who ask at once share one.
    @Test
    void realm_remembersWhoWasRight() throws IOException {
        Realm realm = new Realm(Htpasswd.read(users("ada:" + hash("secret"))), "people", null);
        List<Callable<Boolean>> work = new ArrayList<>();
        CompletableFuture<Boolean> result = new CompletableFuture<>();
        CompletableFuture<Boolean> first = realm.check(given("ada", "secret"), callable -> {
            work.add(callable);
            return result;
        });
        assertThat(realm.check(given("ada", "secret"), callable -> {
                    throw new AssertionError("a second hash");
                }))
                .isSameAs(first);
        assertThat(realm.running(given("ada", "secret"))).isSameAs(first);
        assertThat(realm.running(given("ada", "Secret"))).isNull();
        assertThat(realm.knows(given("ada", "secret"))).isFalse();
        result.complete(call(work.get(0)));
        assertThat(first.join()).isTrue();
        assertThat(realm.knows(given("ada", "secret"))).isTrue();
        assertThat(realm.knows(given("ada", "Secret"))).isFalse();
        assertThat(realm.knows(given("eve", "secret"))).isFalse();
        assertThat(realm.running(given("ada", "secret"))).isNull();
        assertThat(realm.check(given("ada", "no"), RulesTest::run).join()).isFalse();
        assertThat(realm.knows(given("ada", "no"))).isFalse();
    }

    // The rules are read again: who was right stays so, unless the line of the name has changed.
    @Test
    void realm_replaced_knowsThoseOfTheSameHashes() throws IOException {
        String ada = "ada:" + hash("secret");
        Realm before =
                new Realm(Htpasswd.read(users(ada, "bob:" + hash("secret"), "eve:" + hash("secret"))), "people", null);
        for (String name : List.of("ada", "bob", "eve")) {
            assertThat(before.check(given(name, "secret"), RulesTest::run).join())
                    .isTrue();
        }
        Realm realm = new Realm(Htpasswd.read(users("bob:" + hash("secret"), ada)), "people", before);
        assertThat(realm.knows(given("ada", "secret"))).isTrue();
        assertThat(realm.knows(given("ada", "Secret"))).isFalse();
        assertThat(realm.knows(given("bob", "secret"))).as("another hash").isFalse();
        assertThat(realm.knows(given("eve", "secret"))).as("gone").isFalse();
    }

    // A stranger could tell by the time which names there are: the operator is told.
    @Test
    void htpasswd_differentCosts_areWarnedOf() throws IOException {
        List<String> warnings = new ArrayList<>();
        Logger logger = Logger.getLogger(Htpasswd.class.getName());
        Handler handler = new StreamHandler() {
            @Override
            public void publish(LogRecord line) {
                warnings.add(new SimpleFormatter().formatMessage(line));
            }
        };
        logger.addHandler(handler);
        try {
            Htpasswd.read(users("ada:" + hash("a"), "bob:" + hash("b")));
            assertThat(warnings).isEmpty();
            Path file = users("ada:" + hash("a"), "bob:$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW");
            Htpasswd.read(file);
            assertThat(warnings).singleElement().asString().startsWith(file + ": hashes of different costs (04, 05)");
        } finally {
            logger.removeHandler(handler);
        }
    }

    // A pool that is full is no wrong password, and the next one may try.
    @Test
    void realm_refusedWork_isAFailure() throws IOException {
        Realm realm = new Realm(Htpasswd.read(users("ada:" + hash("secret"))), "people", null);
        assertThat(realm.check(given("ada", "secret"), callable -> {
                    throw new RejectedExecutionException("full");
                }))
                .isCompletedExceptionally();
        assertThat(realm.check(given("ada", "secret"), RulesTest::run).join()).isTrue();
    }

    private static CompletableFuture<Boolean> run(Callable<Boolean> work) {
        return CompletableFuture.completedFuture(call(work));
    }

    private static boolean call(Callable<Boolean> work) {
        try {
            return work.call();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void logins_holdForEachNameOfAFile() throws IOException {
        Path file = users("ada:" + hash("secret"));
        Gate gate = gate(new GateRules(
                List.of(),
                List.of(),
                List.of(),
                List.of(LoginRule.parse("/a/** " + file + " Our people"), LoginRule.parse("/about.html " + file))));
        assertThat(gate.realmsOf(gate.namesOf("/about", "/about"))).hasSize(1);
        Set<Realm> realms = gate.realmsOf(gate.namesOf("/a/x", "/a/x"));
        assertThat(realms).hasSize(1);
        assertThat(new String(realms.iterator().next().challenge(), StandardCharsets.US_ASCII))
                .isEqualTo("WWW-Authenticate: Basic realm=\"Our people\", charset=\"UTF-8\"\r\n");
        assertThat(gate.realmsOf(gate.namesOf("/b", "/b"))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/a", "a file", "/a file a \"quote\"", "/a file a\\b", "/a file \u00fc"})
    void login_whatIsNone_isRefused(String text) {
        assertThat(LoginRule.parse(text)).isNull();
    }

    // Each rule reads what it writes.
    @Test
    void rules_areReadAsTheyAreWritten() {
        for (String text : List.of("301 /a/** /b/$1", "308 /a https://example.org/?x#y")) {
            assertThat(Redirect.parse(text)).hasToString(text).isEqualTo(Redirect.parse(text));
        }
        assertThat(Rewrite.parse("/a /b c")).hasToString("/a /b c").isEqualTo(Rewrite.parse("/a /b c"));
        for (String text : List.of("/a deny all", "/a allow ::/0")) {
            assertThat(AccessRule.parse(text)).hasToString(text).isEqualTo(AccessRule.parse(text));
        }
        for (String text : List.of("/a file", "/a file Our people")) {
            assertThat(LoginRule.parse(text)).hasToString(text).isEqualTo(LoginRule.parse(text));
        }
        assertThat(UriText.encode("/a b")).isEqualTo("/a%20b");
    }
}
