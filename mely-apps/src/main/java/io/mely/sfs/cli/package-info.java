// SPDX-License-Identifier: Apache-2.0
/** The program {@code sfs.jar}: its settings, the file of its users, and how it starts and ends. What it shares with other servers is {@link io.mely.cli}. */
@NullMarked
package io.mely.sfs.cli;

import org.jspecify.annotations.NullMarked;
