// SPDX-License-Identifier: Apache-2.0
/** The runtime: colored events, stages and workstealing on pinned cores. */
@SuppressWarnings("module") // io.mely.net is not there yet when this is compiled
module io.mely.core {
    requires com.sun.jna;
    requires org.jctools.core;
    requires static transitive org.jspecify;

    exports io.mely;
    exports io.mely.admission;
    exports io.mely.policy;
    exports io.mely.spi;
    exports io.mely.topology to
            io.mely.net;
}
