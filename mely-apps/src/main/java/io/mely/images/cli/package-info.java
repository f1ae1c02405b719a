// SPDX-License-Identifier: Apache-2.0

/** The command line of the image server: its settings, and the demonstration. */
@NullMarked
package io.mely.images.cli;

import org.jspecify.annotations.NullMarked;
