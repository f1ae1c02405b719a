// SPDX-License-Identifier: Apache-2.0
/** The runtime: colored events, stages and workstealing on pinned cores. */
module io.mely.core {
    requires com.sun.jna;
    requires org.jctools.core;
    requires static transitive org.jspecify;

    exports io.mely;
    exports io.mely.admission;
    exports io.mely.policy;
    exports io.mely.spi;
}
