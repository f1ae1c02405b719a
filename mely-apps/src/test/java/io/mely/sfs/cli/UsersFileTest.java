// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mely.cli.UsageException;
import io.mely.sfs.users.Right;
import io.mely.sfs.users.User;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class UsersFileTest {
    @TempDir
    Path temp;

    private List<User> read(String text, boolean isWritable) throws IOException, UsageException {
        Path file = Files.writeString(temp.resolve("users.conf"), text);
        return UsersFile.read(file, temp.resolve("root"), isWritable);
    }

    @Test
    void users_ofAFile_areAsWritten() throws Exception {
        List<User> users = read("""
                bob { keys = [a.pub, "/etc/keys/b.pub"], root = sub, rights = [list, create], quota = 10 MiB }
                alice { keys = a.pub }
                "carol.x" { keys = a.pub, rights = all }
                dave { rights = read-only, quota = 5 }
                """, false);
        assertThat(users).extracting(User::name).containsExactly("alice", "bob", "carol.x", "dave");
        User alice = users.get(0);
        assertThat(alice.root()).isEqualTo(temp.resolve("root"));
        assertThat(alice.rights()).isEqualTo(Right.READ_ONLY);
        assertThat(alice.keyFiles()).containsExactly(temp.resolve("a.pub"));
        User bob = users.get(1);
        assertThat(bob.root()).isEqualTo(temp.resolve("sub"));
        assertThat(bob.rights()).isEqualTo(Set.of(Right.LIST, Right.CREATE));
        assertThat(bob.quotaBytes()).isEqualTo(10 << 20);
        assertThat(bob.keyFiles()).containsExactly(temp.resolve("a.pub"), Path.of("/etc/keys/b.pub"));
        assertThat(users.get(2).rights()).isEqualTo(Right.ALL);
        assertThat(users.get(3).quotaBytes()).isEqualTo(5);
        assertThat(users.get(3).keyFiles()).isEmpty();
        assertThat(read("a { keys = k }", true).get(0).rights()).isEqualTo(Right.ALL);
    }

    // Each mistake is said with its line and, where there is one, the nearest word.
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    a { kesy = x }                 | :1: a.kesy: unknown; the nearest known key is keys
                    a { rights = [lst] }           | :1: a.rights: 'lst' is unknown; the nearest is list
                    a { rights = [all, list] }     | :1: a.rights: 'all' is unknown
                    a { quota = much }             | :1: a.quota: 'much' is no size
                    a { keys = { x = 1 } }         | :1: a.keys: cannot be an object
                    a = 5                          | :1: a: must be an object
                    "a b" { keys = x }             | a user's name has no spaces
                    a { keys =                     | users.conf
                    ''                             | no user
                    """)
    void mistake_isSaid(String text, String message) {
        assertThatThrownBy(() -> read(text, false))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining(message);
    }

    @Test
    void file_missing_isSaid() {
        assertThatThrownBy(() -> UsersFile.read(temp.resolve("none"), temp, false))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("cannot be read");
    }
}
