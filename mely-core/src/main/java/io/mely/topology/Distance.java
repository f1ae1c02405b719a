// SPDX-License-Identifier: Apache-2.0
package io.mely.topology;

/**
 * How far apart two CPUs are: the smallest cache both share, then the package. Nearest first, so {@code ordinal} may index a table of costs per distance.
 *
 * <p><b>Source.</b> The Mely paper's cache distance, as derived in its specification.
 */
public enum Distance {
    /** One and the same CPU. */
    SAME_CPU,
    /** Two hardware threads of one physical core: they share everything, execution units too. */
    SMT_SIBLING,
    /** Two physical cores that share a second-level cache (or a nearer one). */
    SHARED_L2,
    /** Two physical cores whose nearest shared cache is a third-level one (or one further out). */
    SHARED_L3,
    /** Same package, no cache in common; also any two CPUs of a machine whose caches are unknown. */
    SAME_PACKAGE,
    /** Different packages. */
    OTHER_PACKAGE
}
