// SPDX-License-Identifier: Apache-2.0
package io.mely.topology;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.BitSet;

/**
 * Pins by OpenHFT's {@code Affinity}, found by reflection: its jar has no module name, so ours cannot require it.
 *
 * <p>Only {@code setAffinity(int)} and {@code getAffinity()}. Never its {@code AffinityLock}: that one refuses CPU 0,
 * leaves a mask set by {@code taskset}, keeps lock files between processes, and gives an unbound lock without an error
 * when a CPU is taken.
 */
final class OpenHftPinner implements Pinner {
    private static final String CLASS_NAME = "net.openhft.affinity.Affinity";

    private final Method setAffinity;
    private final Method getAffinity;

    /**
     * Finds the class without initialising it; that waits for the first pinning, which may fail.
     *
     * @throws ClassNotFoundException when the jar is not on the class path
     */
    OpenHftPinner() throws ReflectiveOperationException {
        Class<?> affinity = Class.forName(CLASS_NAME, false, OpenHftPinner.class.getClassLoader());
        setAffinity = affinity.getMethod("setAffinity", int.class);
        getAffinity = affinity.getMethod("getAffinity");
    }

    @Override
    public void pin(int cpu) {
        BitSet wanted = new BitSet();
        wanted.set(cpu);
        try {
            setAffinity.invoke(null, cpu);
            Object got = getAffinity.invoke(null);
            if (!wanted.equals(got)) {
                throw new UnsupportedOperationException("OpenHFT set another mask: wanted=" + wanted + ", got=" + got);
            }
        } catch (InvocationTargetException e) {
            throw new UnsupportedOperationException("OpenHFT failed: " + e.getCause(), e);
        } catch (IllegalAccessException | LinkageError e) {
            throw new UnsupportedOperationException("OpenHFT failed: " + e, e);
        }
    }
}
