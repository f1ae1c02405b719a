// SPDX-License-Identifier: Apache-2.0

/**
 * The command line that the servers of this project share: flags, environment and configuration file, signals, exit codes.
 *
 * <p>Every {@link io.mely.cli.Setting} is one constant of a {@link io.mely.cli.SettingList}; its flag, its environment variable, its key in a file, its documentation and its checks come from there, also for who sets it in Java. A server is a {@link io.mely.cli.Program}, which
 * {@link io.mely.cli.Command} runs.
 *
 * <p><b>Conventions.</b> A problem of the user's is one line on standard error that names where the value came from. Text
 * from outside is quoted by {@link io.mely.cli.Text}. The libraries behind {@code --config} are loaded only when that flag is given, for they cost a tenth of a second of start-up.
 */
@NullMarked
package io.mely.cli;

import org.jspecify.annotations.NullMarked;
