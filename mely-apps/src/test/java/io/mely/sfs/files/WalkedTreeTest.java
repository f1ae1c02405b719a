// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.files;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** As on a kernel that does not resolve paths in a root: no link leads anywhere. */
class WalkedTreeTest extends TreeContract {
    @Override
    boolean isWalked() {
        return true;
    }

    @Test
    void links_onTheWay_areRefused() throws IOException {
        tree.makeFolder(at("d"), 0777);
        write("d/a", WRITE, 0, "hello");
        tree.symbolicLink("d".getBytes(StandardCharsets.UTF_8), at("l"));
        tree.symbolicLink("d/a".getBytes(StandardCharsets.UTF_8), at("f"));
        assertThatThrownBy(() -> read("l/a")).isInstanceOf(FileFailure.class);
        assertThatThrownBy(() -> read("f")).isInstanceOf(FileFailure.class);
    }
}
