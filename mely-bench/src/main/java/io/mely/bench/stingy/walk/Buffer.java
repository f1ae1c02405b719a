// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stingy.walk;

import java.util.List;

/**
 * An allocation site as it is found.
 *
 * @param name unique, from its place
 * @param path the call that allocates, and before it those of methods that only pass on the size and the buffer
 * @param sizeBytes of a buffer; 0: not known
 * @param count most instances a request has, from a file; 0: not said
 * @param call the method that is called to allocate, for people
 */
record Buffer(String name, List<Site> path, long sizeBytes, int count, String call) {
    /** For people. */
    String place() {
        return String.join(" > ", path.stream().map(Site::toString).toList()) + " " + call;
    }
}
