// SPDX-License-Identifier: Apache-2.0
/** Sockets and selectors as event sources of Mely's cores, buffers that stay in a core's cache, and a page that shows what the cores do. */
@SuppressWarnings({"requires-automatic", "requires-transitive-automatic"}) // Micrometer has no descriptor
module io.mely.net {
    requires transitive io.mely.core;
    requires transitive io.netty.buffer;
    requires transitive io.netty.common;
    requires transitive io.netty.transport;
    requires com.sun.jna;
    requires io.netty.transport.classes.epoll;
    requires io.netty.transport.unix.common;
    requires jdk.httpserver;
    requires static transitive micrometer.core; // who uses io.mely.metrics brings it along
    requires static transitive org.jspecify;

    exports io.mely.admin;
    exports io.mely.metrics;
    exports io.mely.net;
    exports io.mely.stingy;
}
