// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.sftp;

import io.mely.sfs.audit.AuditLog;
import io.mely.sfs.users.User;
import java.time.ZoneId;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * What all requests of one client have in common.
 *
 * <p><b>Threads.</b> Any.
 *
 * @param user whose requests they are
 * @param session number of the connection, for the audit log
 * @param handlesMax most open files and folders
 * @param openOfUser counts what the user has open in all conversations
 * @param isAtomic whether a new file gets its name only when it is closed
 * @param audit where it is written who did what
 * @param traffic counts bytes of files
 * @param temporaryNames a fresh name at each call, for uploads that need one
 * @param wallClockMs milliseconds since 1970
 * @param zone in which times are shown
 */
public record SftpRules(
        User user,
        long session,
        int handlesMax,
        OpenLimit openOfUser,
        boolean isAtomic,
        AuditLog audit,
        Traffic traffic,
        Supplier<byte[]> temporaryNames,
        LongSupplier wallClockMs,
        ZoneId zone) {
    /** Counts bytes of files. */
    public interface Traffic {
        /** Bytes that a client has read. */
        void read(int bytes);

        /** Bytes that a client has written. */
        void written(int bytes);

        /** One request. */
        void request();
    }
}
