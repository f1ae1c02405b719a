// SPDX-License-Identifier: Apache-2.0
/**
 * What is decided by the path of a request before a file is looked for: redirects, rewrites, who may see it by address, and who by password. Nothing here knows connections.
 */
@NullMarked
package io.mely.sws.rules;

import org.jspecify.annotations.NullMarked;
