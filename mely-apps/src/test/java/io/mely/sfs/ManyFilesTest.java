// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Thousands of files in one folder, and files with odd names, by the programs that people use. */
@Tag("any-jdk")
@Timeout(300)
class ManyFilesTest extends ClientsHarness {
    private static final int FILES = 3_000;
    private static final int FILES_SLOW = 10_000;

    private Path many;

    private void makeMany(int files) throws IOException {
        many = Files.createDirectory(local.resolve("many"));
        for (int i = 0; i < files; i++) {
            Files.writeString(many.resolve("file-" + i), "text " + i);
        }
    }

    private void assertAllAreThere() throws IOException {
        assertThat(names(root.resolve("many"))).isEqualTo(names(many));
        assertSame(many, local.resolve("back/many"));
    }

    @Test
    void openSsh_thousandsOfFiles_putListedGotAndRemoved() throws Exception {
        need("sftp");
        makeMany(FILES);
        Files.createDirectory(local.resolve("back"));
        Programs.Result listed =
                sftp("put -r many\nls -1 many\nget -r many back\n").isFine();
        assertThat(listed.output().lines().filter(line -> line.startsWith("many/file-")))
                .hasSize(FILES);
        assertAllAreThere();
        sftp("rm many/*\nrmdir many\n").isFine();
        assertThat(root).isEmptyDirectory();
    }

    @Test
    @Tag("slow")
    void lftp_thousandsOfFiles_putListedGotAndRemoved() throws Exception {
        need("lftp");
        need("ssh");
        makeMany(FILES_SLOW);
        String connect = "set sftp:connect-program \"ssh -a -x -F " + local.resolve("ssh_config")
                + "\"; set net:max-retries 1; open sftp://" + USER + ":@sfs:" + port() + "; ";
        Programs.Result listed = run("", "lftp", "-c", connect + "mirror -R many; cls -1 many; mirror many back/many")
                .isFine();
        assertThat(listed.output().lines().filter(line -> line.startsWith("many/file-")))
                .hasSize(FILES_SLOW);
        assertAllAreThere();
        run("", "lftp", "-c", connect + "rm -r many").isFine();
        assertThat(root).isEmptyDirectory();
    }

    @Test
    @Tag("slow")
    void rclone_thousandsOfFiles_copiedCheckedAndRemoved() throws Exception {
        need("rclone");
        makeMany(FILES_SLOW);
        String remote =
                ":sftp,host=127.0.0.1,port=" + port() + ",user=" + USER + ",key_file=" + ed25519 + ",shell_type=none:";
        run("", "rclone", "--config", "", "copy", "many", remote + "many").isFine();
        run("", "rclone", "--config", "", "check", "--download", "many", remote + "many")
                .isFine();
        run("", "rclone", "--config", "", "copy", remote + "many", "back/many").isFine();
        assertAllAreThere();
        run("", "rclone", "--config", "", "purge", remote + "many").isFine();
        assertThat(root.resolve("many")).doesNotExist();
    }

    /** As the shell's printf reads them: some are no text of any encoding. */
    private static final List<String> ODD = List.of(
            "plain",
            "with space",
            " leading",
            "trailing ",
            "quote\\\"\\047",
            "back\\\\slash",
            "new\\nline",
            "tab\\there",
            "-dash",
            "*?[x]{a,b}",
            "~tilde",
            "#hash",
            "\\377\\376 no UTF-8",
            "e\\314\\201",
            "\\303\\251",
            "\\346\\227\\245\\346\\234\\254",
            "\\360\\237\\230\\200",
            ".hidden",
            "..two",
            "x".repeat(255));

    private void makeOdd() throws Exception {
        Files.createDirectory(local.resolve("odd"));
        StringBuilder script = new StringBuilder("cd odd\n");
        for (String name : ODD) {
            script.append("n=$(printf -- '")
                    .append(name.replace("%", "%%"))
                    .append("x'); printf '%s' \"$n\" > \"./${n%x}\"\n");
        }
        run(script.toString(), "sh").isFine();
    }

    private void assertOddIsSame(Path back) throws Exception {
        for (Path each : List.of(root.resolve("odd"), back)) {
            run("", "diff", "-r", "odd", each.toString()).isFine();
            assertThat(run("", "sh", "-c", "ls -A -q odd | wc -l").output())
                    .isEqualTo(run("", "sh", "-c", "ls -A -q '" + each + "' | wc -l")
                            .output());
        }
        assertThat(names(local.resolve("odd")).size()).isEqualTo(ODD.size());
    }

    // Names are bytes: what no encoding knows, and two that look alike, come back as they were.
    @Test
    void openSsh_oddNames_comeBack() throws Exception {
        need("sftp");
        makeOdd();
        Files.createDirectory(local.resolve("back"));
        sftp("put -r odd\nget -r odd back\n").isFine();
        assertOddIsSame(local.resolve("back/odd"));
        sftp("rm \"odd/with space\"\nrename odd/plain \"odd/a \\\"b\\\" 'c'\"\nrm odd/-dash\nchmod 600 odd/.hidden\n")
                .isFine();
        assertThat(names(root.resolve("odd")))
                .contains("a \"b\" 'c'")
                .doesNotContain("with space", "plain", "-dash")
                .hasSize(ODD.size() - 2);
    }

    @Test
    void scp_oddNames_comeBack() throws Exception {
        need("scp");
        makeOdd();
        run("", "scp", "-q", "-F", "ssh_config", "-r", "odd", "sfs:").isFine();
        run("", "scp", "-q", "-F", "ssh_config", "-r", "sfs:odd", "back").isFine();
        assertOddIsSame(local.resolve("back"));
    }

    @Test
    void sshfs_oddNames_areThere() throws Exception {
        need("sshfs");
        need("fusermount3");
        makeOdd();
        Path mount = Files.createDirectory(local.resolve("mount"));
        Programs.Result mounted =
                run("", "sshfs", "-F", local.resolve("ssh_config").toString(), "sfs:/", mount.toString());
        assumeTrue(mounted.code() == 0, "sshfs can't mount here: " + mounted.output());
        try {
            run("", "cp", "-r", "odd", "mount/odd").isFine();
            assertOddIsSame(mount.resolve("odd"));
            run("", "rm", "-r", "mount/odd").isFine();
        } finally {
            run("", "fusermount3", "-u", mount.toString()).isFine();
        }
        assertThat(root).isEmptyDirectory();
    }

    // Where a name is text, it is the text that the client meant.
    @Test
    void openSsh_nameInUtf8_isThatOnTheDisk() throws Exception {
        need("sftp");
        Files.writeString(local.resolve("a"), "x");
        sftp("put a \"/\u65e5\u672c \u00e9\"\n").isFine();
        byte[] expected = "\u65e5\u672c \u00e9".getBytes(StandardCharsets.UTF_8);
        Programs.Result listed = run("", "ls", "-N", root.toString()).isFine();
        assertThat(listed.output().strip().getBytes(StandardCharsets.ISO_8859_1))
                .isEqualTo(expected);
    }
}
