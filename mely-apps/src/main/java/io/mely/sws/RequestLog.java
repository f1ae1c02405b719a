// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import io.mely.sws.http.RequestHead;
import io.mely.sws.log.AccessLog;
import io.netty.util.NetUtil;
import java.nio.charset.StandardCharsets;

/** Finds in a request what its line in the access log needs. */
final class RequestLog {
    private RequestLog() {}

    static void add(AccessLog.Seat log, Connection c, long epochSecond, Exchange exchange, int status, long bodyBytes) {
        byte[] in = exchange.in();
        RequestHead head = exchange.parser.head();
        int start = exchange.start;
        int line = lineStart(in, start, exchange.end);
        log.add(
                address(c),
                epochSecond,
                in,
                line,
                lineEnd(in, line, exchange.end),
                status,
                bodyBytes,
                start + head.refererStart(),
                head.refererEnd() == 0 ? 0 : start + head.refererEnd(),
                start + head.userAgentStart(),
                head.userAgentEnd() == 0 ? 0 : start + head.userAgentEnd());
    }

    private static byte[] address(Connection c) {
        byte[] address = c.address;
        if (address == null) {
            address = NetUtil.toAddressString(c.socket.remoteAddress().getAddress())
                    .getBytes(StandardCharsets.US_ASCII);
            c.address = address;
        }
        return address;
    }

    /** Behind empty lines (RFC 9112 2.2). */
    private static int lineStart(byte[] in, int start, int end) {
        int i = start;
        while (i < end && (in[i] == '\r' || in[i] == '\n')) {
            i++;
        }
        return i;
    }

    /** Of a request that was refused as well: whatever stands before the first line end, or all that has come. */
    private static int lineEnd(byte[] in, int start, int end) {
        int i = start;
        while (i < end && in[i] != '\r' && in[i] != '\n') {
            i++;
        }
        return i;
    }
}
