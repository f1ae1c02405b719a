// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.ssh;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.System.Logger.Level;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.spec.ECGenParameterSpec;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.apache.sshd.common.config.keys.KeyUtils;
import org.apache.sshd.common.config.keys.writer.openssh.OpenSSHKeyPairResourceWriter;
import org.apache.sshd.common.util.security.SecurityUtils;

/**
 * The keys by which clients know the server, in OpenSSH's files: {@code ssh_host_ed25519_key} and so on. What is not there is made, and readable by its owner
 * only; what others may read is refused.
 */
public final class HostKeys {
    private static final System.Logger LOG = System.getLogger(HostKeys.class.getName());
    private static final Set<PosixFilePermission> OWNER_ONLY =
            EnumSet.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);
    private static final Set<PosixFilePermission> FOLDER = PosixFilePermissions.fromString("rwx------");

    /** Kinds of keys. */
    public enum Type {
        /** Small, fast, and what all current clients know. */
        ED25519("ssh_host_ed25519_key"),
        /** Over NIST's curve P-256, for clients that do not know Ed25519. */
        ECDSA("ssh_host_ecdsa_key");

        private final String file;

        Type(String file) {
            this.file = file;
        }

        /**
         * The file it is in.
         *
         * @return its name
         */
        public String file() {
            return file;
        }
    }

    private HostKeys() {}

    /**
     * Reads the keys, and makes those that are not there.
     *
     * @param folder where they are; made if it is not there
     * @param types which
     * @return one for each type
     * @throws IOException naming the file that can't be read, or made, or that others may read
     */
    public static List<KeyPair> load(Path folder, List<Type> types) throws IOException {
        List<KeyPair> keys = new ArrayList<>();
        for (Type type : types) {
            Path file = folder.resolve(type.file);
            if (Files.notExists(file)) {
                make(folder, file, type);
            }
            keys.add(read(file));
        }
        return keys;
    }

    private static KeyPair read(Path file) throws IOException {
        String start = "host key " + file + ": ";
        try (InputStream in = Files.newInputStream(file)) {
            Set<PosixFilePermission> permissions =
                    Files.readAttributes(file, PosixFileAttributes.class).permissions();
            if (!OWNER_ONLY.containsAll(permissions)) {
                throw new IOException("others than its owner may use it (chmod 600)");
            }
            Iterable<KeyPair> found = SecurityUtils.loadKeyPairIdentities(null, file::toString, in, null);
            if (found == null || !found.iterator().hasNext()) {
                throw new IOException("holds no key");
            }
            return found.iterator().next();
        } catch (IOException | GeneralSecurityException | RuntimeException e) {
            throw new IOException(start + e.getMessage(), e);
        }
    }

    /** Written under another name first: whoever sees the file sees all of it. */
    private static void make(Path folder, Path file, Type type) throws IOException {
        try {
            Files.createDirectories(folder, PosixFilePermissions.asFileAttribute(FOLDER));
            KeyPair key = generate(type);
            Path temporary =
                    Files.createTempFile(folder, type.file, ".new", PosixFilePermissions.asFileAttribute(OWNER_ONLY));
            try {
                try (OutputStream out = Files.newOutputStream(temporary, StandardOpenOption.WRITE)) {
                    OpenSSHKeyPairResourceWriter.INSTANCE.writePrivateKey(key, "sfs", null, out);
                }
                Files.createLink(file, temporary); // fails if somebody else was faster, whose key is as good
            } finally {
                Files.delete(temporary);
            }
            try (OutputStream out = Files.newOutputStream(file.resolveSibling(file.getFileName() + ".pub"))) {
                OpenSSHKeyPairResourceWriter.INSTANCE.writePublicKey(key, "sfs", out);
            }
            LOG.log(Level.INFO, "made host key {0}, {1}", file, KeyUtils.getFingerPrint(key.getPublic()));
        } catch (FileAlreadyExistsException otherWasFaster) {
            LOG.log(Level.DEBUG, "host key {0} was made by another", file);
        } catch (GeneralSecurityException e) {
            throw new IOException("host key " + file + " can't be made: " + e.getMessage(), e);
        } catch (IOException e) {
            throw new IOException("host key " + file + " can't be made: " + e, e);
        }
    }

    private static KeyPair generate(Type type) throws GeneralSecurityException {
        if (type == Type.ED25519) {
            return SecurityUtils.getKeyPairGenerator(SecurityUtils.ED25519).generateKeyPair();
        }
        KeyPairGenerator generator = SecurityUtils.getKeyPairGenerator(KeyUtils.EC_ALGORITHM);
        generator.initialize(new ECGenParameterSpec("secp256r1"));
        return generator.generateKeyPair();
    }
}
