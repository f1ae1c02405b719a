// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.ssh;

import java.io.IOException;
import org.apache.sshd.common.channel.RequestHandler;
import org.apache.sshd.common.util.buffer.Buffer;
import org.apache.sshd.server.channel.ChannelSession;

/**
 * A session channel that can do SFTP and nothing else: no shell, no commands, no terminal, no forwarding.
 *
 * <p><b>Threads.</b> The color of the connection.
 */
final class SftpChannel extends ChannelSession {
    private static final String SUBSYSTEM = "subsystem";

    @Override
    public void handleWindowAdjust(Buffer buffer) throws IOException {
        super.handleWindowAdjust(buffer);
        if (commandInstance instanceof SftpCommand command) {
            command.windowGrew();
        }
    }

    @Override
    protected RequestHandler.Result handleInternalRequest(String requestType, boolean wantReply, Buffer buffer)
            throws IOException {
        return requestType.equals(SUBSYSTEM)
                ? super.handleInternalRequest(requestType, wantReply, buffer)
                : RequestHandler.Result.ReplyFailure;
    }
}
