// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import io.mely.sws.http.RequestHead;
import io.mely.sws.proxy.ProxyHeader;
import io.mely.sws.proxy.ProxyTrust;
import io.netty.util.NetUtil;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Finds out whose the requests of a trusted proxy are, for the access log and the rate of a client.
 *
 * <p><b>Threads.</b> The color of the connection that is passed. <b>Costs.</b> Reads of the header's exact length at the beginning of a connection; some text a request. None for
 * others than proxies.
 */
final class ProxiedClients {
    private final ServerContext server;
    private final ProxyTrust trust;

    ProxiedClients(ServerContext server) {
        this.server = server;
        trust = server.config.proxies();
    }

    /**
     * Reads the header of the PROXY protocol that is due, and no byte more.
     *
     * @return true if it is complete
     * @throws IOException if there is none, or it is malformed, or the connection ends
     */
    boolean readHeader(Connection c, ProxyHeader header) throws IOException {
        for (int wanted = header.wanted(); wanted > 0; wanted = header.wanted()) {
            ByteBuffer buffer = server.own().readBuffer(wanted);
            int n = c.socket.read(buffer);
            if (n == 0) {
                return false;
            }
            if (n < 0) {
                throw new IOException("ended in the header of the PROXY protocol");
            }
            byte[] part = new byte[n];
            buffer.get(0, part);
            header.add(part, n);
        }
        InetAddress source = header.source();
        if (source != null) {
            c.peer = source;
            c.address = null;
        }
        c.proxyHeader = null;
        return true;
    }

    /** Whose request it is that has just come: once for each of a proxy. */
    void look(Connection c, RequestHead head) {
        Exchange exchange = c.held();
        InetAddress peer = c.peer;
        InetAddress client = trust.trusts(peer) && head.hasProxyField()
                ? trust.client(peer, head.proxyField(exchange.in(), exchange.start))
                : peer;
        c.forwarded = client;
        c.address = NetUtil.toAddressString(client).getBytes(StandardCharsets.US_ASCII);
    }
}
