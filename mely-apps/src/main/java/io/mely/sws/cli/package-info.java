// SPDX-License-Identifier: Apache-2.0

/**
 * The command line of SWS: flags, environment and configuration file, signals, exit codes, the final report.
 *
 * <p>Here belongs what turns words into an {@link io.mely.sws.SwsConfig} and a running process into an exit code. What the
 * server does with a request does not. Every setting is one constant of {@link io.mely.sws.cli.Settings}; its flag, its
 * environment variable, its key in a file, its documentation and its checks come from there.
 *
 * <p><b>Conventions.</b> A problem of the user's is one line on standard error that names where the value came from. Text
 * from outside is quoted by {@link io.mely.sws.cli.Text}. Only {@link io.mely.sws.cli.Main} ends the process. The
 * libraries behind {@code --config} are loaded only when that flag is given, for they cost a tenth of a second of start-up.
 */
@NullMarked
package io.mely.sws.cli;

import org.jspecify.annotations.NullMarked;
