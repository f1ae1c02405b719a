// SPDX-License-Identifier: Apache-2.0
package io.mely.topology;

/** Pins by our own call of {@code sched_setaffinity}; Linux only. */
final class JnaPinner implements Pinner {
    @Override
    public void pin(int cpu) {
        CpuSet wanted = CpuSet.of(cpu);
        LinuxAffinity.setCallingThread(wanted);
        CpuSet got = LinuxAffinity.ofCallingThread();
        if (!got.equals(wanted)) {
            throw new UnsupportedOperationException("the kernel set another mask: wanted=" + wanted + ", got=" + got);
        }
    }
}
