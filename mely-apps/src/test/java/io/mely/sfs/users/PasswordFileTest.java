// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.users;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PasswordFileTest {
    /** Of "secret", made by Python's bcrypt. */
    private static final String FOREIGN = "$2b$04$xV8HZvrJIVUEYJSgBNcfdeHlNrBAk.n1SrfJySOt0JK6giyiCCieW";

    @TempDir
    Path temp;

    private Path write(String text) throws IOException {
        return Files.writeString(temp.resolve("passwords"), text);
    }

    @Test
    void hash_made_matchesItsPasswordOnly() throws IOException {
        PasswordFile file =
                PasswordFile.open(write("# team\n\nteam:" + PasswordFile.hash("p\u00e4ss".toCharArray()) + "\n"));
        assertThat(file.contains("team")).isTrue();
        assertThat(file.matches("team", "p\u00e4ss")).isTrue();
        assertThat(file.matches("team", "pass")).isFalse();
        assertThat(file.matches("team", "")).isFalse();
        assertThat(file.matches("nobody", "p\u00e4ss")).isFalse();
    }

    @Test
    void hash_ofAnotherProgram_matches() throws IOException {
        PasswordFile file = PasswordFile.open(write("team:" + FOREIGN));
        assertThat(file.matches("team", "secret")).isTrue();
        assertThat(file.matches("team", "Secret")).isFalse();
    }

    // What bcrypt would cut off must not be let pass.
    @Test
    void password_longerThanTheHash_isRefused() throws IOException {
        String longest = "x".repeat(72);
        PasswordFile file = PasswordFile.open(write("team:" + PasswordFile.hash(longest.toCharArray())));
        assertThat(file.matches("team", longest)).isTrue();
        assertThat(file.matches("team", longest + "y")).isFalse();
        assertThatThrownBy(() -> PasswordFile.hash((longest + "y").toCharArray()))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"team", "team:plain", ":$2y$", "a b:" + FOREIGN, "team:{SHA}x", "a:" + FOREIGN + "\na:" + FOREIGN
            })
    void line_thatIsNone_isSaid(String text) throws IOException {
        Path file = write(text);
        assertThatThrownBy(() -> PasswordFile.open(file))
                .isInstanceOf(IOException.class)
                .hasMessageMatching("(?s).*passwords:[12]: .*");
    }

    @Test
    void file_changed_isReadAgainUnlessWrong() throws IOException {
        Path path = write("a:" + FOREIGN);
        PasswordFile file = PasswordFile.open(path);
        Files.writeString(path, "b:" + FOREIGN + "\n");
        file.refresh();
        assertThat(file.contains("a")).isFalse();
        assertThat(file.contains("b")).isTrue();
        Files.writeString(path, "nonsense");
        Files.setLastModifiedTime(path, FileTime.fromMillis(1));
        file.refresh();
        assertThat(file.contains("b")).isTrue();
        Files.delete(path);
        file.refresh();
        assertThat(file.contains("b")).isTrue();
    }

    // One hash is as long as another, and who changes a password may keep the date of the file.
    @Test
    void password_changedAtOnce_sameSizeAndDate_isSeen() throws IOException {
        Path path = write("a:" + FOREIGN);
        FileTime date = Files.getLastModifiedTime(path);
        PasswordFile file = PasswordFile.open(path);
        write("a:" + PasswordFile.hash("other".toCharArray(), 4));
        Files.setLastModifiedTime(path, date);
        file.refresh();
        assertThat(file.matches("a", "other")).isTrue();
        assertThat(file.matches("a", "secret")).isFalse();
    }

    // Who asks for a name that is not there waits as long as for the costliest that is.
    @Test
    void nobody_isAsCostlyAsTheCostliest() throws IOException {
        Path file = temp.resolve("costs");
        char[] password = "x".toCharArray();
        Files.writeString(file, "a:" + PasswordFile.hash(password, 4) + "\nb:" + PasswordFile.hash(password, 6) + "\n");
        PasswordFile passwords = PasswordFile.open(file);
        assertThat(passwords.costOfNobody()).isEqualTo(6);
        assertThat(passwords.matches("a", "x")).isTrue();
        assertThat(passwords.matches("nobody", "x")).isFalse();
        Files.writeString(file, "a:" + PasswordFile.hash(password, 7) + "\n");
        passwords.refresh();
        assertThat(passwords.costOfNobody()).isEqualTo(7);
        Files.writeString(file, "a:$2y$99$" + "a".repeat(53) + "\n");
        assertThatThrownBy(() -> PasswordFile.open(file)).hasMessageContaining(":1:");
    }
}
