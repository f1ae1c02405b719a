// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.ssh;

import java.io.IOException;
import org.apache.sshd.client.future.DefaultOpenFuture;
import org.apache.sshd.client.future.OpenFuture;
import org.apache.sshd.common.SshConstants;
import org.apache.sshd.common.channel.RequestHandler;
import org.apache.sshd.common.channel.exception.SshChannelOpenException;
import org.apache.sshd.common.util.buffer.Buffer;
import org.apache.sshd.server.channel.ChannelSession;

/**
 * A session channel that can do SFTP and nothing else: no shell, no commands, no terminal, no forwarding.
 *
 * <p><b>Threads.</b> The color of the connection.
 */
final class SftpChannel extends ChannelSession {
    private static final String SUBSYSTEM = "subsystem";

    /** A client that takes smaller packets is not served: each costs as much as a large one. SSH asks for 32 KiB (RFC 4253, 6.1). */
    private static final int PACKET_BYTES_MIN = ChannelOutput.WINDOW_BYTES_MIN;

    @Override
    protected OpenFuture doInit(Buffer buffer) {
        if (getRemoteWindow().getPacketSize() >= PACKET_BYTES_MIN) {
            return super.doInit(buffer);
        }
        OpenFuture refused = new DefaultOpenFuture(this, this);
        refused.setException(new SshChannelOpenException(
                getChannelId(), SshConstants.SSH_OPEN_RESOURCE_SHORTAGE, "packets are too small"));
        return refused;
    }

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
