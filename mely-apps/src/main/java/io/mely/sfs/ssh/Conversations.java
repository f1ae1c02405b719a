// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.ssh;

import io.mely.Mely;
import io.mely.sfs.SfsConfig;
import io.mely.sfs.SfsSettings;
import io.mely.sfs.audit.AuditLog;
import io.mely.sfs.files.FileRules;
import io.mely.sfs.files.Quota;
import io.mely.sfs.files.Tree;
import io.mely.sfs.sftp.BufferPool;
import io.mely.sfs.sftp.OpenLimit;
import io.mely.sfs.sftp.SftpRules;
import io.mely.sfs.sftp.SftpSession;
import io.mely.sfs.users.Right;
import io.mely.sfs.users.User;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.ZoneId;
import java.util.Collection;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Objects;

/**
 * Begins conversations in SFTP, and has what they share: quotas, counts of what is open, lanes, buffers.
 *
 * <p><b>Threads.</b> Any.
 */
final class Conversations {
    private static final int NAME_BYTES = 8;

    private final SfsConfig config;
    private final Mely mely;
    private final AuditLog audit;
    private final Counters counters;
    private final Stages stages;
    private final Lanes lanes;
    private final BufferPool buffers;
    private final FileRules fileRules;
    private final Map<String, OpenLimit> opens = new HashMap<>();
    private final Map<String, Quota> quotas = new HashMap<>();
    private final SecureRandom random = new SecureRandom();

    Conversations(SfsConfig config, Mely mely, Collection<User> users, AuditLog audit, Counters counters) {
        this.config = config;
        this.mely = mely;
        this.audit = audit;
        this.counters = counters;
        stages = Stages.of(mely);
        lanes = new Lanes(mely);
        buffers = new BufferPool(mely.cores());
        int permissions = 0777 & ~config.get(SfsSettings.UMASK);
        fileRules = new FileRules(config.get(SfsSettings.SYMLINKS), permissions, permissions);
        Map<Path, Quota> byRoot = new HashMap<>(); // users with the same root share it
        for (User user : users) {
            byRoot.merge(rootOf(user), new Quota(user.quotaBytes()), Conversations::smaller);
        }
        for (User user : users) {
            opens.put(user.name(), new OpenLimit(config.get(SfsSettings.USER_HANDLES_MAX)));
            quotas.put(user.name(), Objects.requireNonNull(byRoot.get(rootOf(user)), "made for each root"));
        }
    }

    private static Quota smaller(Quota one, Quota other) {
        boolean isOther = other.isLimited() && (!one.isLimited() || other.limitBytes() < one.limitBytes());
        return isOther ? other : one;
    }

    /** The folder itself, whatever name it is given. */
    private static Path rootOf(User user) {
        try {
            return user.root().toRealPath();
        } catch (IOException gone) {
            return user.root().toAbsolutePath().normalize(); // nobody can open it
        }
    }

    /**
     * Begins one.
     *
     * @param io the connection
     * @param user whose it is
     * @param atIdle called each time the client may have nothing open any more
     */
    SftpCommand begin(ColoredIoSession io, User user, Runnable atIdle) {
        return new SftpCommand(
                mely,
                stages,
                lanes,
                counters,
                io,
                config.get(SfsSettings.CHANNELS_MAX),
                line -> converse(line, io, user),
                atIdle);
    }

    private SftpSession converse(SftpSession.Line line, ColoredIoSession io, User user) {
        Quota quota = Objects.requireNonNull(quotas.get(user.name()), "made for each user");
        SftpRules rules = new SftpRules(
                user,
                io.getId(),
                config.get(SfsSettings.HANDLES_MAX),
                Objects.requireNonNull(opens.get(user.name()), "made for each user"),
                config.get(SfsSettings.ATOMIC_UPLOADS),
                audit,
                counters,
                this::temporaryName,
                System::currentTimeMillis,
                ZoneId.systemDefault());
        return new SftpSession(
                line,
                rules,
                () -> openTree(user, quota),
                buffers,
                Math.toIntExact(config.get(SfsSettings.SLICE)),
                config.get(SfsSettings.DEFAULT_COLOR));
    }

    private Tree openTree(User user, Quota quota) throws IOException {
        Tree tree = Tree.open(user.root(), fileRules, quota);
        if (user.rights().contains(Right.CREATE) || user.rights().contains(Right.CHANGE)) {
            boolean isDone = false;
            try {
                tree.countForQuota();
                isDone = true;
            } finally {
                if (!isDone) {
                    tree.close();
                }
            }
        }
        return tree;
    }

    private byte[] temporaryName() {
        byte[] bytes = new byte[NAME_BYTES];
        random.nextBytes(bytes);
        return (".sfs-" + HexFormat.of().formatHex(bytes) + "\0").getBytes(StandardCharsets.US_ASCII);
    }
}
