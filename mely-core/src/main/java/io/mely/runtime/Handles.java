// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/** Makes VarHandles. */
final class Handles {
    private Handles() {}

    /** That of a field of the class that looks it up, or of one that it extends: by the class that declares it, as a VarHandle of another one cannot describe itself. */
    static VarHandle of(MethodHandles.Lookup lookup, String field, Class<?> type) {
        try {
            return lookup.findVarHandle(declaring(lookup.lookupClass(), field), field, type);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static Class<?> declaring(Class<?> from, String field) {
        Class<?> declaring = from;
        while (Arrays.stream(declaring.getDeclaredFields())
                .noneMatch(each -> each.getName().equals(field))) {
            declaring = declaring.getSuperclass();
        }
        return declaring;
    }
}
