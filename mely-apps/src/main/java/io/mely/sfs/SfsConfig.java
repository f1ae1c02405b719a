// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs;

import io.mely.cli.Setting;
import io.mely.cli.SettingException;
import io.mely.cli.SettingValues;
import io.mely.cli.Values;
import io.mely.sfs.users.User;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Everything an SFTP server can be told. Immutable; start from {@link #builder}, which has all defaults:
 *
 * <pre>{@code SfsConfig.builder(users, hostKeys).set(SfsSettings.MAX_CONNECTIONS, 100).build()}</pre>
 *
 * <p>What has a key in a configuration file is a setting of {@link SfsSettings}, which says its unit, range and default.
 *
 * <p><b>Threads.</b> Any. <b>Errors.</b> {@link IllegalArgumentException} naming the field or setting and the value that is not allowed.
 *
 * @param users who may log in, each name once, at least one
 * @param passwordFile bcrypt hashes of passwords; null if nobody has a password
 * @param hostKeys folder of the server's keys; those that are not there are made
 * @param bind address and port to listen on; port 0 lets the system choose
 * @param settings a value for each of {@link SfsSettings}
 */
public record SfsConfig(
        List<User> users, @Nullable Path passwordFile, Path hostKeys, InetSocketAddress bind, SettingValues settings) {
    /** Default port: what sshd's is called when it is taken. */
    public static final int PORT = 2222;

    /** How sockets are watched. */
    public enum Transport {
        /** Epoll where there is a native library for this machine, NIO elsewhere. */
        AUTO,
        /** Linux epoll; the start fails where it is not available. */
        EPOLL,
        /** The JDK's selector. */
        NIO
    }

    /** Checks what is not allowed each for itself. */
    public SfsConfig {
        users = List.copyOf(users);
        Objects.requireNonNull(hostKeys, "hostKeys");
        check(!users.isEmpty(), "users must have at least one", "users", users);
        Set<String> names = new HashSet<>();
        for (User each : users) {
            check(names.add(each.name()), "users must have each name once", "users", each.name());
        }
        check(!bind.isUnresolved(), "bind must be an address that resolves", "bind", bind);
        for (Setting<? extends List<?>> each : List.of(SfsSettings.HOST_KEY_TYPES, SfsSettings.CIPHERS)) {
            if (settings.get(each).isEmpty()) {
                throw new SettingException(each, List.of(), "not allowed; allowed: one at least");
            }
        }
    }

    private static void check(boolean isValid, String rule, String field, Object value) {
        if (!isValid) {
            throw new IllegalArgumentException(rule + ": " + field + "=" + value);
        }
    }

    /**
     * Starts a configuration.
     *
     * @param users who may log in
     * @param hostKeys folder of the server's keys
     * @return a builder with the defaults
     */
    public static Builder builder(List<User> users, Path hostKeys) {
        return new Builder(users, hostKeys);
    }

    /**
     * The value of a setting.
     *
     * @param <T> type of the value
     * @param setting of {@link SfsSettings}
     * @return what was set, else the default
     */
    public <T> T get(Setting<T> setting) {
        return settings.get(setting);
    }

    /**
     * Collects values.
     *
     * <p><b>Threads.</b> Not safe for use by several. <b>Errors.</b> A setting is checked when it is set, all together by {@link #build}.
     */
    public static final class Builder {
        private final List<User> users;
        private final Path hostKeys;
        private final SettingValues.Builder settings = new SettingValues.Builder(SfsSettings.all());
        private @Nullable Path passwordFile;
        private InetSocketAddress bind = new InetSocketAddress(InetAddress.getLoopbackAddress(), PORT);

        private Builder(List<User> users, Path hostKeys) {
            this.users = users;
            this.hostKeys = hostKeys;
        }

        /**
         * Sets one of {@link SfsSettings}.
         *
         * @param <T> type of the value
         * @param setting which
         * @param value of its range
         * @return this
         * @throws IllegalArgumentException naming the setting, the value and what is allowed
         */
        public <T> Builder set(Setting<T> setting, T value) {
            settings.set(setting, value);
            return this;
        }

        /**
         * Sets those of {@link SfsSettings} that a user has given.
         *
         * @param given of a command line, an environment and a file
         * @return this
         * @throws IllegalArgumentException naming the setting, the value and what is allowed
         */
        public Builder set(Values given) {
            settings.set(given);
            return this;
        }

        /** See {@link SfsConfig#passwordFile}. */
        public Builder passwordFile(@Nullable Path value) {
            passwordFile = value;
            return this;
        }

        /** See {@link SfsConfig#bind}. */
        public Builder bind(InetSocketAddress value) {
            bind = value;
            return this;
        }

        /**
         * Checks the values together.
         *
         * @return the configuration
         * @throws IllegalArgumentException naming the field or setting and the value that is not allowed
         */
        public SfsConfig build() {
            return new SfsConfig(users, passwordFile, hostKeys, bind, settings.build());
        }
    }
}
