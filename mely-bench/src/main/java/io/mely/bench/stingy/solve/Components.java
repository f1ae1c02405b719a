// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stingy.solve;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.List;

/**
 * The strongly connected components of a graph, by Tarjan's algorithm without recursion.
 *
 * <p><b>Costs.</b> Linear. <b>Source.</b> spec: Stingy §5.3.
 */
final class Components {
    private final BitSet[] next;
    private final int[] index;
    private final int[] low;
    private final int[] component;
    private final Deque<Integer> open = new ArrayDeque<>();
    private final List<BitSet> members = new ArrayList<>();
    private int visited;

    /** @param next successors of each node */
    Components(BitSet[] next) {
        this.next = next;
        index = new int[next.length];
        low = new int[next.length];
        component = new int[next.length];
        java.util.Arrays.fill(component, -1);
        for (int node = 0; node < next.length; node++) {
            if (index[node] == 0) {
                visit(node);
            }
        }
    }

    private void visit(int root) {
        Deque<int[]> path = new ArrayDeque<>(); // node, and the successor to look at next
        enter(root, path);
        while (!path.isEmpty()) {
            int[] at = path.peek();
            int node = at[0];
            int successor = next[node].nextSetBit(at[1]);
            if (successor < 0) {
                path.pop();
                leave(node);
                if (!path.isEmpty()) {
                    int before = path.peek()[0];
                    low[before] = Math.min(low[before], low[node]);
                }
            } else {
                at[1] = successor + 1;
                if (index[successor] == 0) {
                    enter(successor, path);
                } else if (component[successor] < 0) {
                    low[node] = Math.min(low[node], index[successor]);
                }
            }
        }
    }

    private void enter(int node, Deque<int[]> path) {
        index[node] = ++visited;
        low[node] = visited;
        open.push(node);
        path.push(new int[] {node, 0});
    }

    private void leave(int node) {
        if (low[node] != index[node]) {
            return;
        }
        BitSet found = new BitSet();
        int member;
        do {
            member = open.pop();
            component[member] = members.size();
            found.set(member);
        } while (member != node);
        members.add(found);
    }

    /** The members of the component of a node. */
    BitSet of(int node) {
        return members.get(component[node]);
    }

    /** Whether a node can be reached from itself. */
    boolean isInCycle(int node) {
        return of(node).cardinality() > 1 || next[node].get(node);
    }

    /** Whether nothing outside of the component of a node can be reached from it. */
    boolean isTerminal(int node) {
        return of(node).stream()
                .allMatch(member -> next[member].stream().allMatch(to -> component[to] == component[node]));
    }
}
