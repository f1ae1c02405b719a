// SPDX-License-Identifier: Apache-2.0
package io.mely;

/**
 * An event that knows how much work it is, for policies that let small ones go first. Of other events the expected time of their stage is taken.
 *
 * <p><b>Source.</b> spec: stages §14, SRPT queue discipline.
 */
public interface Sized {
    /**
     * How much work it is.
     *
     * @return &gt;= 0, in whatever unit the events of a stage have in common, such as bytes
     */
    long size();
}
