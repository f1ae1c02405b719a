// SPDX-License-Identifier: Apache-2.0
package io.mely.simulation;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.util.Map;

/**
 * Loads the runtime, and the simulator on top of it, once more: with yield points, and with some classes exchanged. The classes of the
 * application are not touched.
 */
final class WovenLoader extends ClassLoader {
    static {
        registerAsParallelCapable();
    }

    private final Subject subject;
    private final Map<String, byte[]> exchanged;
    private final String mainRoot;

    /**
     * A fresh runtime.
     *
     * @param subject whose classes are woven beside the runtime's
     * @param exchanged by class name: bytes to load instead
     * @param hasAssertions whether the runtime's own assertions are checked
     */
    WovenLoader(Subject subject, Map<String, byte[]> exchanged, boolean hasAssertions) {
        super(WovenLoader.class.getClassLoader());
        this.subject = subject;
        this.exchanged = exchanged;
        setDefaultAssertionStatus(hasAssertions);
        mainRoot = rootOf("io.mely.runtime.MelyRuntime");
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        boolean isOurs = name.startsWith("io.mely.") && !name.startsWith("io.mely.topology.");
        if (!isOurs) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            return loaded != null ? loaded : define(name);
        }
    }

    private Class<?> define(String name) throws ClassNotFoundException {
        byte[] bytes = exchanged.get(name);
        boolean isMain = bytes != null || rootOf(name).equals(mainRoot) || isOfSubject(name);
        if (bytes == null) {
            bytes = read(name);
        }
        if (isMain) {
            bytes = Weaver.weave(bytes, subject.undivided());
        }
        return defineClass(name, bytes, 0, bytes.length);
    }

    /** Tests of the package have another root. */
    private boolean isOfSubject(String name) {
        Class<?> sample = subject.sample();
        return sample != null
                && name.substring(0, name.lastIndexOf('.')).equals(sample.getPackageName())
                && rootOf(name).equals(rootOf(sample.getName()));
    }

    /** Where a class was found, without its own name. */
    private String rootOf(String name) {
        String path = pathOf(name);
        URL url = getParent().getResource(path);
        String text = String.valueOf(url);
        return text.substring(0, Math.max(0, text.length() - path.length()));
    }

    private byte[] read(String name) throws ClassNotFoundException {
        try (InputStream in = getParent().getResourceAsStream(pathOf(name))) {
            if (in == null) {
                throw new ClassNotFoundException(name);
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new ClassNotFoundException(name, e);
        }
    }

    private static String pathOf(String name) {
        return name.replace('.', '/') + ".class";
    }
}
