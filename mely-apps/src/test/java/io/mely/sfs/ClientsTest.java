// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The programs that people use, each where it is installed: what went up and came down again is the same, byte for byte. */
@Timeout(300)
class ClientsTest extends ClientsHarness {
    private static final int LARGE_BYTES = 24 << 20;
    private static final int MANY = 300;

    // OpenSSH.

    @Test
    void openSsh_sftp_doesAllItCan() throws Exception {
        need("sftp");
        byte[] large = random(LARGE_BYTES, 1);
        Files.write(local.resolve("large"), large);
        Files.writeString(local.resolve("small"), "hello");
        sftp("""
                        put large
                        put -p small dest
                        rename dest renamed
                        mkdir folder
                        put small folder/inside
                        ln -s renamed link
                        ln renamed second
                        cp renamed copy
                        chmod 600 renamed
                        ls -la
                        ls -l folder
                        df
                        get large back
                        get -p link through-link
                        rm second
                        rm folder/inside
                        rmdir folder
                        """).isFine();
        assertThat(Files.readAllBytes(root.resolve("large"))).isEqualTo(large);
        assertThat(Files.readAllBytes(local.resolve("back"))).isEqualTo(large);
        assertThat(root.resolve("copy")).hasContent("hello");
        assertThat(local.resolve("through-link")).hasContent("hello");
        assertThat(Files.getLastModifiedTime(root.resolve("copy"))).isNotNull();
        assertThat(names(root)).containsExactly("copy", "large", "link", "renamed");
        assertThat(sftp("rm none\n").code()).isNotZero();
    }

    // A transfer that was cut goes on where it was.
    @Test
    void openSsh_resume_goesOn() throws Exception {
        need("sftp");
        byte[] large = random(LARGE_BYTES, 2);
        Files.write(local.resolve("large"), large);
        Files.write(root.resolve("large"), java.util.Arrays.copyOf(large, LARGE_BYTES / 3));
        Files.write(local.resolve("back"), java.util.Arrays.copyOf(large, LARGE_BYTES / 2));
        sftp("reput large\nreget large back\n").isFine();
        assertThat(Files.readAllBytes(root.resolve("large"))).isEqualTo(large);
        assertThat(Files.readAllBytes(local.resolve("back"))).isEqualTo(large);
    }

    // New keys in the middle of transfers in both directions.
    @Test
    void openSsh_rekeying_changesNoByte() throws Exception {
        need("sftp");
        byte[] large = random(8 << 20, 3); // some eight new keys each way
        Files.write(local.resolve("large"), large);
        sftp("put large\nget large back\n", "-o", "RekeyLimit=1M").isFine();
        assertThat(Files.readAllBytes(root.resolve("large"))).isEqualTo(large);
        assertThat(Files.readAllBytes(local.resolve("back"))).isEqualTo(large);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Ciphers=aes128-gcm@openssh.com",
                "Ciphers=aes256-gcm@openssh.com",
                "Ciphers=aes256-ctr",
                "MACs=hmac-sha2-512",
                "MACs=hmac-sha2-256-etm@openssh.com",
                "KexAlgorithms=curve25519-sha256",
                "KexAlgorithms=sntrup761x25519-sha512@openssh.com",
            })
    void openSsh_algorithm_works(String option) throws Exception {
        need("sftp");
        Files.write(local.resolve("a"), random(100_000, 4));
        sftp("put a\nget a b\n", "-o", option).isFine();
        assertThat(local.resolve("b")).hasSameBinaryContentAs(local.resolve("a"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"id_ed25519", "id_ecdsa", "id_rsa"})
    void openSsh_keyOfAnyKind_logsIn(String name) throws Exception {
        need("sftp");
        Programs.run(
                        local,
                        "ls\n",
                        "sftp",
                        "-F",
                        "none",
                        "-b",
                        "-",
                        "-P",
                        String.valueOf(port()),
                        "-o",
                        "IdentitiesOnly=yes",
                        "-o",
                        "StrictHostKeyChecking=no",
                        "-o",
                        "UserKnownHostsFile=" + local.resolve("kh"),
                        "-i",
                        shared.resolve(name).toString(),
                        USER + "@127.0.0.1")
                .isFine();
    }

    // Weak things are refused, whoever asks for them.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "Ciphers=aes128-cbc",
                "Ciphers=3des-cbc",
                "MACs=hmac-sha1,hmac-md5 -oCiphers=aes128-ctr",
                "KexAlgorithms=diffie-hellman-group14-sha1",
                "HostKeyAlgorithms=ssh-rsa",
            })
    void openSsh_weakAlgorithm_isRefused(String options) throws Exception {
        need("sftp");
        List<String> each = new ArrayList<>();
        for (String option : options.split(" -o")) {
            each.addAll(List.of("-o", option));
        }
        Programs.Result result = sftp("ls\n", each.toArray(String[]::new));
        assertThat(result.code()).isNotZero();
        assertThat(result.output()).contains("no matching");
    }

    @Test
    void openSsh_scp_copiesFoldersBothWays() throws Exception {
        need("scp");
        Path many = Files.createDirectories(local.resolve("many/deep"));
        for (int i = 0; i < MANY; i++) {
            Files.write((i % 2 == 0 ? many : many.getParent()).resolve("file " + i), random(i * 37, i));
        }
        run("", "scp", "-q", "-F", "ssh_config", "-r", "-p", "many", "sfs:up").isFine();
        run("", "scp", "-q", "-F", "ssh_config", "-r", "-p", "sfs:/up", "back").isFine();
        assertSame(local.resolve("many"), local.resolve("back"));
    }

    // Nothing but SFTP: no shell, no command, no tunnel.
    @ParameterizedTest
    @ValueSource(strings = {"true", ""})
    void openSsh_shellOrCommand_isRefused(String command) throws Exception {
        need("ssh");
        Programs.Result result = run("exit\n", "ssh", "-F", "ssh_config", "sfs", command);
        assertThat(result.code()).isNotZero();
    }

    @Test
    void openSsh_tunnel_isRefused() throws Exception {
        need("ssh");
        Programs.Result result = run("", "ssh", "-F", "ssh_config", "-W", "127.0.0.1:" + port(), "sfs");
        assertThat(result.code()).isNotZero();
        assertThat(result.output()).doesNotContain("SSH-2.0");
    }

    @Test
    void openSsh_strangersKey_isRefused() throws Exception {
        need("sftp");
        Path stranger = write(key("Ed25519"), local.resolve("stranger"));
        Programs.Result result = sftp("ls\n", "-i", stranger.toString(), "-o", "IdentityFile=none");
        assertThat(result.code()).isZero(); // the configured key is offered, too
        Files.writeString(
                local.resolve("ssh_config"),
                Files.readString(local.resolve("ssh_config")).replace(ed25519.toString(), stranger.toString()));
        assertThat(sftp("ls\n").output()).contains("Permission denied (publickey)");
    }

    // More than four gigabytes: offsets of more than 32 bits, and the keys change on the way.
    @Test
    @Tag("slow")
    @Timeout(600)
    void openSsh_hugeFile_isTheSame() throws Exception {
        need("sftp");
        Path huge = local.resolve("huge");
        try (FileChannel out = FileChannel.open(huge, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            for (int i = 0; i < 5; i++) {
                out.write(ByteBuffer.wrap(random(1 << 20, i)), i * (1L << 30));
            }
        }
        sftp("put huge\nget huge back\n").isFine();
        assertThat(Files.mismatch(huge, root.resolve("huge"))).isEqualTo(-1);
        assertThat(Files.mismatch(huge, local.resolve("back"))).isEqualTo(-1);
    }

    // Others.

    @Test
    void curl_putsGetsResumesAndRenames() throws Exception {
        assumeTrue(Programs.hasCurlSftp(), "curl has no SFTP");
        byte[] large = random(LARGE_BYTES / 4, 5);
        Files.write(local.resolve("large"), large);
        String url = "sftp://127.0.0.1:" + port() + "/";
        String[] start = {
            "curl", "-sS", "--insecure", "--user", USER + ":", "--key", ed25519.toString(), "--pubkey", ed25519 + ".pub"
        };
        run("", with(start, "-T", "large", url + "large")).isFine();
        assertThat(Files.readAllBytes(root.resolve("large"))).isEqualTo(large);
        Files.write(local.resolve("back"), java.util.Arrays.copyOf(large, 1_000_000));
        run("", with(start, "-C", "-", "-o", "back", url + "large")).isFine();
        assertThat(Files.readAllBytes(local.resolve("back"))).isEqualTo(large);
        run("", with(start, "-Q", "-rename /large /a%20b", "-Q", "-mkdir /d", "-l", url))
                .isFine();
        run("", with(start, "-Q", "-rm /a%20b", "-l", url));
        assertThat(names(root)).contains("d").doesNotContain("large");
    }

    private static String[] with(String[] start, String... more) {
        List<String> all = new ArrayList<>(List.of(start));
        all.addAll(List.of(more));
        return all.toArray(String[]::new);
    }

    @Test
    void lftp_mirrorsManyFiles() throws Exception {
        need("lftp");
        need("ssh");
        Path many = Files.createDirectories(local.resolve("many/a/b"));
        for (int i = 0; i < MANY; i++) {
            Files.write((i % 3 == 0 ? many : many.getParent()).resolve("f" + i), random(i * 11, i));
        }
        String connect = "set sftp:connect-program \"ssh -a -x -F " + local.resolve("ssh_config")
                + "\"; set net:max-retries 1; open sftp://" + USER + ":@sfs:" + port() + "; ";
        run("", "lftp", "-c", connect + "mirror -R many up; mirror up back; mv up/a moved; rm -r moved; ls")
                .isFine();
        assertSame(local.resolve("many"), local.resolve("back"));
        assertThat(root.resolve("up/a")).doesNotExist();
    }

    // Transfers that were cut go on where they were.
    @Test
    void lftp_resume_goesOn() throws Exception {
        need("lftp");
        need("ssh");
        byte[] large = random(LARGE_BYTES / 4, 6);
        Files.write(local.resolve("large"), large);
        Files.write(root.resolve("large"), java.util.Arrays.copyOf(large, LARGE_BYTES / 12));
        Files.write(local.resolve("back"), java.util.Arrays.copyOf(large, LARGE_BYTES / 8));
        String connect = "set sftp:connect-program \"ssh -a -x -F " + local.resolve("ssh_config")
                + "\"; set net:max-retries 1; open sftp://" + USER + ":@sfs:" + port() + "; ";
        run("", "lftp", "-c", connect + "put -c large; get -c large -o back").isFine();
        assertThat(Files.readAllBytes(root.resolve("large"))).isEqualTo(large);
        assertThat(Files.readAllBytes(local.resolve("back"))).isEqualTo(large);
    }

    // Many files at once on one connection, each in pieces whose replies come in any order.
    @Test
    void asyncssh_manyFilesAtOnce_areTheSame() throws Exception {
        assumeTrue(Programs.isPythonThere("asyncssh"), "asyncssh is not installed");
        Files.writeString(local.resolve("client.py"), """
                import asyncio, random, sys, asyncssh
                PIECE = 30_000
                async def one(s, i):
                    data = random.Random(i).randbytes(10 * PIECE + i)
                    name = '/f%d' % i
                    offsets = range(0, len(data), PIECE)
                    async with s.open(name, 'wb') as f:
                        await asyncio.gather(*(f.write(data[o:o + PIECE], o) for o in offsets))
                        assert (await s.stat(name)).size == len(data)
                    async with s.open(name, 'rb') as f:
                        assert b''.join(await asyncio.gather(*(f.read(PIECE, o) for o in offsets))) == data
                    await s.posix_rename(name, name + '.done')
                    assert not await s.exists(name)
                    async with s.open(name + '.done', 'r+b') as f: # goes on where it was
                        await f.write(b'end', len(data))
                    assert (await s.stat(name + '.done')).size == len(data) + 3
                async def main():
                    async with asyncssh.connect('127.0.0.1', int(sys.argv[1]), username=sys.argv[2],
                                                client_keys=[sys.argv[3]], known_hosts=None) as c:
                        async with c.start_sftp_client() as s:
                            await asyncio.gather(*(one(s, i) for i in range(24)))
                asyncio.run(main())
                """);
        run("", "python3", "client.py", String.valueOf(port()), USER, ed25519.toString())
                .isFine();
        assertThat(names(root)).hasSize(24).allMatch(name -> name.endsWith(".done"));
    }

    private static final String PYTHON_NAMES = """
            names = [b'plain', b'with space', b"quote'\\"", b'back\\\\slash', b'new\\nline', b'-dash', b'*?[x]', b'\\xff\\xfe',
                     'e\\u0301'.encode(), '\\u00e9'.encode(), '\\u65e5\\u672c'.encode(), '\\U0001f600'.encode(), b'.hidden', b'x' * 255]
            """;

    @Test
    void paramiko_doesAllItCan() throws Exception {
        assumeTrue(Programs.isPythonThere("paramiko"), "paramiko is not installed");
        Files.writeString(local.resolve("client.py"), PYTHON_NAMES + """
                import os, sys, stat, paramiko
                t = paramiko.Transport(('127.0.0.1', int(sys.argv[1])))
                t.connect(username=sys.argv[2], pkey=paramiko.Ed25519Key.from_private_key_file(sys.argv[3]))
                s = paramiko.SFTPClient.from_transport(t)
                data = os.urandom(3_000_000)
                with s.open('/big', 'wb') as f:
                    f.set_pipelined(True)
                    f.write(data)
                with s.open('/big', 'rb') as f:
                    f.prefetch()
                    assert f.read() == data
                with s.open('/big', 'r+b') as f:
                    f.seek(100); f.write(b'xyz'); f.truncate(1000)
                assert s.stat('/big').st_size == 1000
                s.chmod('/big', 0o640); assert stat.S_IMODE(s.stat('/big').st_mode) == 0o640
                s.utime('/big', (1000, 2000)); assert s.stat('/big').st_mtime == 2000
                s.symlink('big', '/link'); assert s.readlink('/link') == 'big'
                assert stat.S_ISLNK(s.lstat('/link').st_mode)
                s.posix_rename('/big', '/other')
                try:
                    s.rename('/other', '/link'); assert False
                except IOError: pass
                s.mkdir('/d')
                names.remove(b'\\xff\\xfe') # paramiko itself can't list it
                for n in names:
                    with s.open(b'/d/' + n, 'wb') as f: f.write(n)
                for n in names:
                    with s.open(b'/d/' + n, 'rb') as f: assert f.read() == n, n
                assert len(s.listdir('/d')) == len(names)
                for n in names: s.remove(b'/d/' + n)
                s.rmdir('/d')
                for i in range(300):
                    with s.open('/many-%d' % i, 'wb') as f: f.write(b'%d' % i)
                assert len([n for n in s.listdir('/') if n.startswith('many-')]) == 300
                assert s.normalize('../a/./b') == '/a/b'
                try:
                    s.stat('/none'); assert False
                except FileNotFoundError: pass
                t.close()
                """);
        run("", "python3", "client.py", String.valueOf(port()), USER, ed25519.toString())
                .isFine();
        assertThat(root.resolve("other")).hasSize(1000);
    }

    @Test
    void asyncssh_doesAllItCan() throws Exception {
        assumeTrue(Programs.isPythonThere("asyncssh"), "asyncssh is not installed");
        Files.writeString(local.resolve("client.py"), PYTHON_NAMES + """
                import asyncio, os, sys, asyncssh
                async def main():
                    async with asyncssh.connect('127.0.0.1', int(sys.argv[1]), username=sys.argv[2],
                                                client_keys=[sys.argv[3]], known_hosts=None) as c:
                        async with c.start_sftp_client(sftp_version=6) as s:
                            assert s.version == 3
                            data = os.urandom(3_000_000)
                            open('in', 'wb').write(data)
                            await s.put('in', '/big')
                            await s.get('/big', 'out')
                            assert open('out', 'rb').read() == data
                            await s.mkdir('/d')
                            async def one(n):
                                async with s.open(b'/d/' + n, 'wb') as f: await f.write(n)
                                async with s.open(b'/d/' + n, 'rb') as f: assert await f.read() == n
                            await asyncio.gather(*(one(n) for n in names))
                            listed = sorted(e for e in await s.listdir(b'/d') if e not in (b'.', b'..'))
                            assert listed == sorted(names), listed
                            await s.posix_rename('/big', '/other')
                            await s.link('/other', '/second')
                            v = await s.statvfs('/'); assert v.bsize > 0
                            async with s.open('/other', 'rb') as f: pass
                            await s.copy('/other', '/copy')
                            assert (await s.stat('/copy')).size == 3_000_000
                            for n in names: await s.remove(b'/d/' + n)
                            await s.rmdir('/d')
                            assert not await s.exists('/d')
                        for i in range(3):
                            async with c.start_sftp_client() as s: await s.stat('/other')
                asyncio.run(main())
                """);
        run("", "python3", "client.py", String.valueOf(port()), USER, ed25519.toString())
                .isFine();
        assertThat(root.resolve("second")).hasSameBinaryContentAs(local.resolve("in"));
    }

    // A mounted root is a folder like any other.
    @Test
    void sshfs_mounted_isAFolder() throws Exception {
        need("sshfs");
        need("fusermount3");
        Path mount = Files.createDirectory(local.resolve("mount"));
        Programs.Result mounted =
                run("", "sshfs", "-F", local.resolve("ssh_config").toString(), "sfs:/", mount.toString());
        assumeTrue(mounted.code() == 0, "sshfs can't mount here: " + mounted.output());
        try {
            byte[] large = random(LARGE_BYTES / 4, 6);
            Files.write(mount.resolve("large"), large);
            assertThat(Files.readAllBytes(mount.resolve("large"))).isEqualTo(large);
            Files.createDirectory(mount.resolve("d"));
            Files.move(mount.resolve("large"), mount.resolve("d/moved"));
            Files.createSymbolicLink(mount.resolve("link"), Path.of("d/moved"));
            assertThat(Files.readAllBytes(mount.resolve("link"))).isEqualTo(large);
            for (int i = 0; i < MANY; i++) {
                Files.writeString(mount.resolve("d/f" + i), "text " + i, StandardCharsets.UTF_8);
            }
            assertThat(names(mount.resolve("d"))).hasSize(MANY + 1);
            Files.delete(mount.resolve("link"));
        } finally {
            run("", "fusermount3", "-u", mount.toString()).isFine();
        }
        assertThat(Files.exists(root.resolve("link"), LinkOption.NOFOLLOW_LINKS))
                .isFalse();
        assertThat(root.resolve("d/f7")).hasContent("text 7");
    }

    // Auditors of SSH find nothing to complain of that counts as a failure.
    @Test
    void sshAudit_failures_areNone() throws Exception {
        need("ssh-audit");
        Programs.Result audit = run("", "ssh-audit", "--no-colors", "-p", String.valueOf(port()), "127.0.0.1");
        assertThat(audit.output()).contains("(kex)").doesNotContain("[fail]");
    }
}
