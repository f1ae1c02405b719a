// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.conformance;

import java.util.List;

/**
 * One line of the table.
 *
 * @param group heading it stands under
 * @param name unique in its group
 * @param clause number of the RFC and section
 * @param level how much it weighs
 * @param request what is sent, see {@link RequestText}
 * @param expected one for each response
 */
record ConformanceCase(
        String group, String name, String clause, Level level, String request, List<Expectation> expected) {
    @Override
    public String toString() {
        return group + ": " + name;
    }
}
