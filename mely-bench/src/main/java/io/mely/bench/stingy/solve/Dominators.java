// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stingy.solve;

import java.util.BitSet;

/** Which node is on every path from the entries to a node. <b>Costs.</b> Nodes times edges, of sets: for graphs of some hundred nodes. */
final class Dominators {
    private final BitSet[] of;

    /**
     * @param next successors of each node
     * @param entries where paths begin; a node that no path reaches is dominated by itself alone
     */
    Dominators(BitSet[] next, BitSet entries) {
        int nodes = next.length;
        BitSet[] before = new BitSet[nodes];
        of = new BitSet[nodes];
        for (int node = 0; node < nodes; node++) {
            before[node] = new BitSet();
            of[node] = new BitSet();
            if (entries.get(node)) {
                of[node].set(node);
            } else {
                of[node].set(0, nodes);
            }
        }
        for (int node = 0; node < nodes; node++) {
            int from = node;
            next[node].stream().forEach(to -> before[to].set(from));
        }
        boolean isChanged;
        do {
            isChanged = false;
            for (int node = 0; node < nodes; node++) {
                if (!entries.get(node)) {
                    isChanged |= narrow(node, before[node]);
                }
            }
        } while (isChanged);
        BitSet reached = reachable(next, entries);
        for (int node = 0; node < nodes; node++) {
            if (!reached.get(node)) {
                of[node].clear();
                of[node].set(node);
            }
        }
    }

    private boolean narrow(int node, BitSet before) {
        BitSet narrowed = (BitSet) of[node].clone();
        before.stream().forEach(from -> narrowed.and(of[from]));
        narrowed.set(node);
        boolean isChanged = !narrowed.equals(of[node]);
        of[node] = narrowed;
        return isChanged;
    }

    /** What paths from some nodes reach, these included. */
    static BitSet reachable(BitSet[] next, BitSet from) {
        BitSet reached = (BitSet) from.clone();
        BitSet open = (BitSet) from.clone();
        while (!open.isEmpty()) {
            int node = open.nextSetBit(0);
            open.clear(node);
            BitSet fresh = (BitSet) next[node].clone();
            fresh.andNot(reached);
            reached.or(fresh);
            open.or(fresh);
        }
        return reached;
    }

    /** Whether every path to a node passes another; true of a node and itself. */
    boolean dominates(int dominator, int node) {
        return of[node].get(dominator);
    }
}
