// SPDX-License-Identifier: Apache-2.0
/** What runs on the virtual machine. Loaded together with the runtime, by the loader that weaves it, and not woven itself. */
@NullMarked
package io.mely.bench.simulate.workload;

import org.jspecify.annotations.NullMarked;
