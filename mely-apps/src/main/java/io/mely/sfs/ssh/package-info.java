// SPDX-License-Identifier: Apache-2.0
/**
 * SSH on colored sockets: Apache MINA SSHD's protocol, whose sessions run in colors. Here are the connections, who is let in, and the channel that carries SFTP.
 *
 * <p>MINA calls its locks in the color of the connection, with a few exceptions: the end of a key exchange sends what waited for it from a thread of MINA's own.
 * {@link io.mely.sfs.ssh.ColoredIoSession} takes bytes from any thread for that reason.
 */
@NullMarked
package io.mely.sfs.ssh;

import org.jspecify.annotations.NullMarked;
