// SPDX-License-Identifier: Apache-2.0
/**
 * {@code simulate}: the production runtime on machines that are described in a file. {@code machine} is the virtual machine, {@code workload}
 * what runs on it and is loaded with the runtime; here are the command, the papers' tables and the reports.
 */
@NullMarked
package io.mely.bench.simulate;

import org.jspecify.annotations.NullMarked;
