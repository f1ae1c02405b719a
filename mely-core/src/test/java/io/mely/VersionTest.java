// SPDX-License-Identifier: Apache-2.0
package io.mely;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class VersionTest {

    // The build's own version reaches the program: the resource is there and Maven filled it in.
    @Test
    void version_isFilledInByTheBuild() {
        assertThat(Version.version()).matches("\\d+\\.\\d+\\.\\d+(-.+)?").doesNotContain("${");
    }
}
