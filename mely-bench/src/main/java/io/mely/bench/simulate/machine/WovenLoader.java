// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.simulate.machine;

import java.io.IOException;
import java.io.InputStream;

/** Loads the runtime and the workloads once more, the runtime with its costs woven in. The machine itself is shared with whoever asks. */
public final class WovenLoader extends ClassLoader {
    private static final String LIBASYNC = "io.mely.bench.libasync.";
    private static final String WORKLOADS = "io.mely.bench.simulate.workload.";
    private static final String BENCH = "io.mely.bench.";
    /** Plans, which are shared. */
    private static final String PLANS = "io.mely.deploy.stingy.";
    /** It makes a plan of the runtime's. */
    private static final String RUNTIME_PLAN = PLANS + "RuntimePlan";

    static {
        registerAsParallelCapable();
    }

    /** A fresh runtime; its assertions are off, as in production. */
    public WovenLoader() {
        super(WovenLoader.class.getClassLoader());
        setDefaultAssertionStatus(false);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        boolean isOurs = name.startsWith("io.mely.") || name.startsWith("org.jctools.");
        boolean isToBeWoven = name.startsWith(WORKLOADS) || name.startsWith(LIBASYNC) || name.equals(RUNTIME_PLAN);
        boolean isShared = name.startsWith(BENCH) || name.startsWith(PLANS);
        if (!isOurs || (isShared && !isToBeWoven)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            return loaded != null ? loaded : define(name);
        }
    }

    private Class<?> define(String name) throws ClassNotFoundException {
        String path = name.replace('.', '/');
        try (InputStream in = getParent().getResourceAsStream(path + ".class")) {
            if (in == null) {
                throw new ClassNotFoundException(name);
            }
            byte[] bytes = in.readAllBytes();
            if (Weaver.isCharged(path)) {
                bytes = Weaver.weave(bytes);
            }
            return defineClass(name, bytes, 0, bytes.length);
        } catch (IOException e) {
            throw new ClassNotFoundException(name, e);
        }
    }
}
