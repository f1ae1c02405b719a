// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.sftp;

import io.mely.sfs.audit.AuditLine;
import io.mely.sfs.files.Errno;
import io.mely.sfs.files.FileFailure;
import io.mely.sfs.files.RemotePath;
import io.mely.sfs.files.Tree;
import io.mely.sfs.users.Right;

/**
 * What all requests of one client act on, and what they ask before they act.
 *
 * <p><b>Threads.</b> Whoever runs the client's request.
 */
final class RequestContext {
    final Tree tree;
    final SftpRules rules;
    final Handles handles;

    RequestContext(Tree tree, SftpRules rules) {
        this.tree = tree;
        this.rules = rules;
        handles = new Handles(rules.handlesMax(), rules.openOfUser());
    }

    static RemotePath path(Packet packet) throws BadPacketException, FileFailure {
        return RemotePath.of(packet.readBytes());
    }

    boolean has(Right right) {
        return rules.user().rights().contains(right);
    }

    void allow(Right right) throws FileFailure {
        if (!has(right)) {
            throw denied();
        }
    }

    static FileFailure denied() {
        return new FileFailure(Errno.EACCES, "not allowed");
    }

    /** Adds the fields of one line. */
    @FunctionalInterface
    interface Fields {
        void addTo(AuditLine line);
    }

    void audit(String what, Fields fields) {
        if (rules.audit().isOn()) {
            AuditLine line = rules.audit()
                    .line(what)
                    .with("session", rules.session())
                    .with("user", rules.user().name());
            fields.addTo(line);
            rules.audit().write(line);
        }
    }
}
