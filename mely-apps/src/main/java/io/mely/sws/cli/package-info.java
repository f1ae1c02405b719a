// SPDX-License-Identifier: Apache-2.0

/**
 * The command line of SWS: its settings, its ready line, its final report.
 *
 * <p>Here belongs what turns settings into an {@link io.mely.sws.SwsConfig} and a server. What the server does with a request does not. What other servers need, too, is in {@link io.mely.cli}; what those need that are an application in SWS, in {@link HttpSettings} and {@link HttpService}.
 */
@NullMarked
package io.mely.sws.cli;

import org.jspecify.annotations.NullMarked;
