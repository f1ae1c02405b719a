// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http2;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Set;

/** What can be reached from an object by the fields of Mely's and Netty's classes. */
final class Retained {
    private Retained() {}

    /** Bytes of its arrays of bytes. */
    static long bytes(Object root) throws IllegalAccessException {
        Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        Deque<Object> toVisit = new ArrayDeque<>(Set.of(root));
        long bytes = 0;
        while (!toVisit.isEmpty()) {
            Object each = toVisit.remove();
            if (!seen.add(each)) {
                continue;
            }
            if (each instanceof byte[] text) {
                bytes += text.length;
            } else if (each.getClass().isArray()
                    && !each.getClass().getComponentType().isPrimitive()) {
                for (int i = 0; i < Array.getLength(each); i++) {
                    add(toVisit, Array.get(each, i));
                }
            } else {
                for (Class<?> type = each.getClass(); isOurs(type); type = type.getSuperclass()) {
                    for (Field field : type.getDeclaredFields()) {
                        if (!Modifier.isStatic(field.getModifiers())
                                && !field.getType().isPrimitive()) {
                            field.setAccessible(true);
                            add(toVisit, field.get(each));
                        }
                    }
                }
            }
        }
        return bytes;
    }

    /** Those of the JDK are not open to look into. */
    private static boolean isOurs(Class<?> type) {
        return type.getName().startsWith("io.");
    }

    private static void add(Deque<Object> toVisit, Object next) {
        if (next != null) {
            toVisit.add(next);
        }
    }
}
