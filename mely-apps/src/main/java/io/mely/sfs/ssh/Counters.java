// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.ssh;

import io.mely.sfs.sftp.SftpRules;
import java.util.concurrent.atomic.LongAdder;

/** What is counted. <b>Threads.</b> Any. */
public final class Counters implements SftpRules.Traffic {
    /** Connections that were let in. */
    public final LongAdder connections = new LongAdder();

    /** Connections that were closed at once. */
    public final LongAdder refused = new LongAdder();

    /** Connections that had not logged in, closed to make way for others. */
    public final LongAdder displaced = new LongAdder();

    /** Logins that succeeded. */
    public final LongAdder logins = new LongAdder();

    /** Connections without one, and wrong passwords. */
    public final LongAdder failedLogins = new LongAdder();

    /** Addresses that were banned. */
    public final LongAdder bans = new LongAdder();

    /** Requests of SFTP. */
    public final LongAdder requests = new LongAdder();

    /** Bytes of files that clients have read. */
    public final LongAdder readBytes = new LongAdder();

    /** Bytes of files that clients have written. */
    public final LongAdder writtenBytes = new LongAdder();

    /** Bytes copied in the server's memory to send replies, by MINA too; not what the kernel copies. */
    public final LongAdder copiedBytes = new LongAdder();

    @Override
    public void read(int bytes) {
        readBytes.add(bytes);
    }

    @Override
    public void written(int bytes) {
        writtenBytes.add(bytes);
    }

    @Override
    public void request() {
        requests.increment();
    }
}
