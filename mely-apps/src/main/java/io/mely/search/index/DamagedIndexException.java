// SPDX-License-Identifier: Apache-2.0
package io.mely.search.index;

import java.io.IOException;

/** An index that must not be used: it is incomplete, changed, or of another version. */
public final class DamagedIndexException extends IOException {
    private static final long serialVersionUID = 1L;

    DamagedIndexException(String problem) {
        super(problem);
    }
}
