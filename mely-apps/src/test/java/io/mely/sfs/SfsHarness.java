// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs;

import io.mely.sfs.users.Right;
import io.mely.sfs.users.User;
import io.mely.spi.NanoClock;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.apache.sshd.common.config.keys.writer.openssh.OpenSSHKeyPairResourceWriter;
import org.apache.sshd.common.util.security.SecurityUtils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/** A server with one user, whose key is in files as OpenSSH has them. */
abstract class SfsHarness {
    static final String USER = "team";
    static final Duration DEADLINE = Duration.ofSeconds(10);

    @TempDir
    static Path shared;

    @TempDir
    Path temp;

    SfsServer server;
    Path root;

    static KeyPair key(String type) throws GeneralSecurityException {
        KeyPairGenerator generator = SecurityUtils.getKeyPairGenerator(type);
        if (type.equals("RSA")) {
            generator.initialize(2048);
        }
        if (type.equals("EC")) {
            generator.initialize(256);
        }
        return generator.generateKeyPair();
    }

    /** Writes both halves; answers the private one's file. */
    static Path write(KeyPair key, Path file) throws IOException, GeneralSecurityException {
        var ownerOnly = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
        Files.createFile(file, ownerOnly);
        Path half = Files.createFile(file.resolveSibling(file.getFileName() + ".pub"), ownerOnly);
        try (OutputStream out = Files.newOutputStream(file)) {
            OpenSSHKeyPairResourceWriter.INSTANCE.writePrivateKey(key, "test", null, out);
        }
        try (OutputStream out = Files.newOutputStream(half)) {
            OpenSSHKeyPairResourceWriter.INSTANCE.writePublicKey(key, "test", out);
        }
        return file;
    }

    SfsConfig.Builder config(Set<Right> rights, Path... keyFiles) throws IOException {
        root = Files.createDirectories(temp.resolve("root"));
        User user = new User(USER, root, rights, 0, List.of(keyFiles));
        return config(List.of(user));
    }

    static SfsConfig.Builder config(List<User> users) {
        return SfsConfig.builder(users, shared.resolve("host-keys"))
                .set(SfsSettings.CORES, 2)
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    void start(SfsConfig.Builder config) throws IOException {
        server = SfsServer.start(config.build());
    }

    void start(SfsConfig.Builder config, NanoClock clock) throws IOException {
        server = SfsServer.start(config.build(), UnaryOperator.identity(), clock);
    }

    int port() {
        return server.localAddress().getPort();
    }

    @AfterEach
    void stop() {
        if (server != null) {
            server.close(DEADLINE);
        }
    }
}
