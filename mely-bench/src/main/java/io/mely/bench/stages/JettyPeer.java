// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stages;

import java.io.Closeable;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.util.Callback;

/** Jetty as it comes, on a free port of the loopback address: a thread of its pool answers a request, and blocks no other. */
final class JettyPeer implements Closeable {
    /** Answers one query. */
    @FunctionalInterface
    interface Pages {
        byte[] page(String query) throws Exception;
    }

    /** Says at each start which version it is. Kept, or the level is forgotten. */
    private static final Logger LOG = Logger.getLogger("org.eclipse.jetty");

    private final Server server;

    private static final class Answering extends Handler.Abstract {
        private final Pages pages;

        Answering(Pages pages) {
            this.pages = pages;
        }

        @Override
        public boolean handle(Request request, Response response, Callback callback) throws Exception {
            String query = Request.extractQueryParameters(request).getValue("q");
            byte[] page = pages.page(query == null ? "" : query);
            response.getHeaders().put(HttpHeader.CONTENT_TYPE, "text/html; charset=utf-8");
            response.getHeaders().put(HttpHeader.CONTENT_ENCODING, "gzip");
            response.getHeaders().put(HttpHeader.CONTENT_LENGTH, page.length);
            response.write(true, ByteBuffer.wrap(page), callback);
            return true;
        }
    }

    JettyPeer(Pages pages) throws Exception {
        LOG.setLevel(Level.WARNING);
        server = new Server(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        server.setHandler(new Answering(pages));
        server.start();
    }

    InetSocketAddress address() {
        return new InetSocketAddress(
                InetAddress.getLoopbackAddress(), server.getURI().getPort());
    }

    @Override
    public void close() {
        try {
            server.stop();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
