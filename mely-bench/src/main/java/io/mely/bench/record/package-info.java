// SPDX-License-Identifier: Apache-2.0
/**
 * Records what an application asks of its runtime, as a {@link io.mely.bench.record.WorkloadProfile} that {@code simulate} runs on other machines. {@code record}
 * does it to SWS.
 */
@NullMarked
package io.mely.bench.record;

import org.jspecify.annotations.NullMarked;
