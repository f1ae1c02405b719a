// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.sws.RawClient;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A server that a bare init starts, in no locale at all, serves the same names. */
@EnabledOnOs(OS.LINUX)
class LocaleSystemTest {
    @TempDir
    Path root;

    @Test
    void posixLocale_servesEveryName() throws Exception {
        Files.writeString(root.resolve("ü.html"), "page");
        Files.writeString(root.resolve("ü.html.gz"), "packed");
        Files.createDirectories(root.resolve("dir"));
        Files.writeString(root.resolve("dir/ä.html"), "index");
        Files.createDirectories(root.resolve("list"));
        Files.writeString(root.resolve("list/ö.txt"), "x");
        Path config = Files.writeString(
                root.resolve("sws.conf"), "precompressed = [gzip]\nindex-files = [\"ä.html\"]\nlisting = on\n");
        try (SwsProcess sws = SwsProcess.serving(root, "--config", config.toString())
                        .variable("LC_ALL", "C")
                        .startReady();
                RawClient client = new RawClient(sws.address())) {
            assertThat(new String(client.fetch("/%C3%BC.html").body())).isEqualTo("page");
            client.send("GET /%C3%BC.html HTTP/1.1\r\nHost: test\r\nAccept-Encoding: gzip\r\n\r\n");
            assertThat(new String(client.response().body())).isEqualTo("packed");
            assertThat(new String(client.fetch("/dir/").body())).isEqualTo("index");
            assertThat(new String(client.fetch("/list/").body())).contains("href=\"./%C3%B6.txt\"");
            assertThat(client.fetch("/").status()).isEqualTo(200);
            assertThat(sws.stderr()).doesNotContain("SEVERE");
        }
    }
}
