// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import io.mely.sws.http.RequestHead;
import io.mely.sws.log.AccessLog;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;

/** Finds in a request what its line in the access log needs. */
final class RequestLog {
    private static final byte[] NOBODY = {};

    private RequestLog() {}

    static void add(AccessLog.Seat log, Connection c, long epochSecond, Exchange exchange, int status, long bodyBytes) {
        byte[] in = exchange.in();
        RequestHead head = exchange.parser.head();
        int start = exchange.start;
        int line = lineStart(in, start, exchange.end);
        log.add(
                address(c),
                exchange.user == null ? NOBODY : exchange.user,
                epochSecond,
                in,
                line,
                lineEnd(in, Math.max(line, start + head.queryEnd()), exchange.end),
                status,
                bodyBytes,
                start + head.refererStart(),
                start + head.refererEnd(),
                start + head.userAgentStart(),
                start + head.userAgentEnd());
    }

    /** Of one that was not let in. */
    static void addRefused(
            AccessLog.Seat log,
            InetSocketAddress client,
            long epochSecond,
            byte[] request,
            int status,
            long bodyBytes) {
        int line = lineStart(request, 0, request.length);
        log.add(
                text(client.getAddress()),
                NOBODY,
                epochSecond,
                request,
                line,
                lineEnd(request, line, request.length),
                status,
                bodyBytes,
                0,
                0,
                0,
                0);
    }

    /** Its address as text. */
    static byte[] address(Connection c) {
        byte[] address = c.address;
        if (address == null) {
            address = text(c.peer);
            c.address = address;
        }
        return address;
    }

    private static byte[] text(InetAddress address) {
        return NetUtil.toAddressString(address).getBytes(StandardCharsets.US_ASCII);
    }

    /** Behind empty lines (RFC 9112 2.2). */
    private static int lineStart(byte[] in, int start, int end) {
        int i = start;
        while (i < end && (in[i] == '\r' || in[i] == '\n')) {
            i++;
        }
        return i;
    }

    /**
     * From somewhere in the request line on, as the target has been looked at if it was parsed. Of a request that was refused: whatever stands
     * before the first line end, or all that has come.
     */
    private static int lineEnd(byte[] in, int start, int end) {
        int i = start;
        while (i < end && in[i] != '\r' && in[i] != '\n') {
            i++;
        }
        return i;
    }
}
