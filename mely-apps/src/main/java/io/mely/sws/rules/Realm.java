// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.rules;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Those who may pass by the names and passwords of one file. Who was right once is remembered until the line of the name changes, by a keyed hash of name and password: the
 * pictures of a page do not cost a bcrypt each. Those who ask at once with the same password share one.
 *
 * <p><b>Threads.</b> Any. <b>Bounds.</b> A keyed hash for each name of the file; as many checks as run.
 */
public final class Realm {
    /** Longest {@link #challenge}. */
    public static final int CHALLENGE_BYTES_MAX = 64 + LoginRule.REALM_CHARS_MAX;

    private static final String ALGORITHM = "HmacSHA256";

    private final Htpasswd users;
    private final byte[] challenge;
    private final SecretKeySpec key;

    /** Of who was right: by name. */
    private final Map<String, byte[]> known = new ConcurrentHashMap<>();

    /** By name and keyed hash. */
    private final Map<String, CompletableFuture<Boolean>> running = new ConcurrentHashMap<>();

    /** @param before who was right there, by the same hash, is known here; null = nobody */
    Realm(Htpasswd users, String name, @Nullable Realm before) {
        this.users = users;
        challenge = ("WWW-Authenticate: Basic realm=\"" + name + "\", charset=\"UTF-8\"\r\n")
                .getBytes(StandardCharsets.US_ASCII);
        if (before == null) {
            byte[] secret = new byte[32];
            new SecureRandom().nextBytes(secret);
            key = new SecretKeySpec(secret, ALGORITHM);
        } else {
            key = before.key;
            before.known.forEach((user, hash) -> {
                if (users.hasSame(user, before.users)) {
                    known.put(user, hash);
                }
            });
        }
    }

    /**
     * What a client is asked by.
     *
     * @return a line of a head, with its end
     */
    public byte[] challenge() {
        return challenge.clone();
    }

    /**
     * Tells whether a client was right before.
     *
     * @param given by the client
     * @return true if it may pass; false says nothing. Takes the same time whatever the password is
     */
    public boolean knows(Credentials given) {
        byte[] right = known.get(given.name());
        return right != null && MessageDigest.isEqual(right, hash(given));
    }

    /**
     * The check of these that runs.
     *
     * @param given by a client
     * @return null if none does
     */
    public @Nullable CompletableFuture<Boolean> running(Credentials given) {
        return running.get(runningKey(given));
    }

    /**
     * Checks a password.
     *
     * @param given by a client
     * @param blocking runs what takes some 50 ms, elsewhere
     * @return whether it is right
     */
    public CompletableFuture<Boolean> check(
            Credentials given, Function<Callable<Boolean>, CompletableFuture<Boolean>> blocking) {
        String runningKey = runningKey(given);
        CompletableFuture<Boolean> mine = new CompletableFuture<>();
        CompletableFuture<Boolean> other = running.putIfAbsent(runningKey, mine);
        if (other != null) {
            return other;
        }
        CompletableFuture<Boolean> work;
        try {
            work = blocking.apply(() -> users.matches(given.name(), given.password()));
        } catch (RuntimeException refused) {
            work = CompletableFuture.failedFuture(refused);
        }
        CompletableFuture<Boolean> unused = work.whenComplete((isRight, failure) -> {
            if (failure == null && isRight) {
                known.put(given.name(), hash(given));
            }
            running.remove(runningKey);
            if (failure == null) {
                mine.complete(isRight);
            } else {
                mine.completeExceptionally(failure);
            }
        });
        return mine;
    }

    /** By the hash alone: it covers the name. */
    private String runningKey(Credentials given) {
        return new String(hash(given), StandardCharsets.ISO_8859_1);
    }

    private byte[] hash(Credentials given) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            mac.update(given.name().getBytes(StandardCharsets.UTF_8));
            mac.update((byte) 0); // neither has one
            return mac.doFinal(given.password());
        } catch (GeneralSecurityException impossible) {
            throw new AssertionError("each JDK has HMAC-SHA-256", impossible);
        }
    }
}
