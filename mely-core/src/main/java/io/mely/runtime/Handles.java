// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** Makes VarHandles. */
final class Handles {
    private Handles() {}

    /** That of a field of the class that looks it up, or of one that it extends. */
    static VarHandle of(MethodHandles.Lookup lookup, String field, Class<?> type) {
        try {
            return lookup.findVarHandle(lookup.lookupClass(), field, type);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }
}
