// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.conformance;

/** How much a case weighs. */
enum Level {
    /** The clause binds a server by MUST or MUST NOT, or defines the meaning. */
    MUST,
    /** The clause says SHOULD, names the answer, or has a grammar that leaves no other; a server may recover (RFC 9110 2.4). */
    SHOULD,
    /** No clause asks for it; what a careful server of files does. */
    ADVICE
}
