// SPDX-License-Identifier: Apache-2.0
/**
 * The machine below the runtime: which CPUs this process may use, how near they are to each other, how much CPU time its container grants, and pinning.
 * Not here: which core steals from which, and anything that changes while the runtime runs, but for {@link io.mely.topology.PinGuard}.
 *
 * <p><b>A machine as a folder.</b> {@link io.mely.topology.CacheMap#read} takes the root of a {@code sysfs} tree. Normally that is {@code /sys}; any folder with
 * the same small text files describes another machine, and needs no symbolic links:
 *
 * <pre>
 * devices/system/cpu/cpu0/topology/physical_package_id         0
 * devices/system/cpu/cpu0/topology/thread_siblings_list        0-1
 * devices/system/cpu/cpu0/cache/index0/{level,type,size,shared_cpu_list}
 * </pre>
 *
 * <p>A CPU is the kernel's number of a hardware thread; a core is an index from 0 among the threads of one runtime. What cannot be read is replaced by something
 * that works, and one warning to the logger {@code io.mely.topology} says by what. Values are immutable and may be used from any thread.
 */
@NullMarked
package io.mely.topology;

import org.jspecify.annotations.NullMarked;
