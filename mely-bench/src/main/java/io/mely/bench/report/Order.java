// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.report;

import java.util.ArrayList;
import java.util.List;

/**
 * Who runs after whom. What a contender leaves behind (a hot CPU, a heap, compiled code) falls on the next one, so nobody may always follow
 * the same one: turning a list round by round is not enough, for neighbours stay neighbours.
 *
 * <p>In as many rounds as there are contenders, an even number, everybody follows everybody else exactly once. With an odd number a place
 * stays empty, and a neighbour comes twice at most. <b>Source.</b> Williams, Experimental designs balanced for the estimation of residual
 * effects of treatments, 1949.
 */
public final class Order {
    private Order() {}

    /**
     * Orders.
     *
     * @param contenders in any order, the same in each round
     * @param round counted from 0
     * @return the contenders in the order of that round
     */
    public static <T> List<T> of(List<T> contenders, int round) {
        int places = contenders.size() + (contenders.size() & 1);
        List<T> order = new ArrayList<>(contenders.size());
        for (int place = 0; place < places; place++) {
            // 0, last, 1, last but one, ...: each difference between neighbours comes once.
            int step = (place & 1) == 0 ? place / 2 : places - 1 - place / 2;
            int index = (step + round) % places;
            if (index < contenders.size()) {
                order.add(contenders.get(index));
            }
        }
        return order;
    }
}
