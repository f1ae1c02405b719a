// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mely.cli.ConfigFile;
import io.mely.cli.StartException;
import io.mely.cli.UsageException;
import io.mely.cli.Values;
import io.mely.sws.HostedSite;
import io.mely.sws.SwsConfig;
import io.mely.sws.SwsSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SiteFileTest {
    @TempDir
    Path folder;

    private Path site;

    @BeforeEach
    void write() throws IOException {
        site = folder.resolve("site.conf");
        Files.createDirectory(folder.resolve("a"));
    }

    private SwsConfig config(String text) throws UsageException, StartException {
        Values values = ConfigFile.readText(Settings.TABLE, "sws.conf", "root = \"" + folder + "\"\n" + text);
        return Invocation.of(values).config();
    }

    private String sites(String hosts) {
        return "sites = [\"" + hosts + " " + site + "\"]\n";
    }

    // What its file says, else what the main one says; and neither file is served.
    @Test
    void site_inheritsWhatItDoesNotSay() throws Exception {
        Files.writeString(site, "root = \"" + folder + "/a\"\nlisting = off\nredirects = [\"301 /x /y\"]\n");
        SwsConfig main = config("listing = on\nindex-files = [\"i.html\"]\nredirects = [\"301 /a /b\"]\n"
                + sites("a.example,*.b.example"));
        assertThat(main.sites()).hasSize(1);
        HostedSite own = main.sites().get(0);
        assertThat(own.hosts()).containsExactly("a.example", "*.b.example");
        assertThat(own.config().root()).isEqualTo(folder.resolve("a"));
        assertThat(own.config().get(SwsSettings.LISTING)).isFalse();
        assertThat(own.config().get(SwsSettings.INDEX_FILES)).containsExactly("i.html");
        assertThat(own.config().get(SwsSettings.REDIRECTS)).hasToString("[301 /x /y]");
        assertThat(own.config().withheld()).containsExactly(site);
        assertThat(main.get(SwsSettings.LISTING)).isTrue();
        assertThat(main.get(SwsSettings.REDIRECTS)).hasToString("[301 /a /b]");
    }

    @Test
    void site_withoutRoot_isNamed() throws Exception {
        Files.writeString(site, "listing = on\n");
        assertThatThrownBy(() -> config(sites("a.example")))
                .isInstanceOf(UsageException.class)
                .hasMessage(site + ": root is missing; a site has one of its own");
    }

    // What is the server's is no site's.
    @Test
    void site_keyOfTheServer_isNamed() throws Exception {
        Files.writeString(site, "root = \"" + folder + "/a\"\nport = 80\n");
        assertThatThrownBy(() -> config(sites("a.example")))
                .isInstanceOf(UsageException.class)
                .hasMessageStartingWith(site + ":2: unknown key 'port'");
    }

    @Test
    void site_fileOrRootThatIsMissing_isNamed() throws Exception {
        assertThatThrownBy(() -> config(sites("a.example")))
                .isInstanceOf(UsageException.class)
                .hasMessageEndingWith("no such file");
        Files.writeString(site, "root = \"" + folder + "/none\"\n");
        assertThatThrownBy(() -> config(sites("a.example")))
                .isInstanceOf(StartException.class)
                .hasMessageContaining(site + ":1: root")
                .hasMessageEndingWith("no such folder");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "sites = [\"a.example\"]",
                "sites = [\"a.example:80 f\"]",
                "sites = [\"a.example,A.example f\"]",
                "sites = [\"a.example f\", \"a.example g\"]",
                "redirects = [\"301 /a //b\"]",
                "rewrites = [\"/a b\"]",
                "access = [\"/a deny\"]",
                "logins = [\"/a\"]",
                "cors = [\"** * credentials\"]",
                "login-tries = 0",
                "connection-rate-max = 1023 B",
                "unix-socket = \"/a b\"",
            })
    void settings_whatIsNotAllowed_isNamed(String line) {
        String key = line.substring(0, line.indexOf(' '));
        assertThatThrownBy(() -> config(line))
                .isInstanceOf(UsageException.class)
                .hasMessageStartingWith("sws.conf:2: " + key)
                .hasMessageContaining("not allowed; allowed: ");
    }

    // What cors says nobody says a second time, in the main file or in that of a site.
    @Test
    void cors_besideFieldsThatSayTheSame_isNamed() throws Exception {
        assertThat(config("cors = [\"fonts *\"]").get(SwsSettings.CORS)).hasToString("[fonts *]");
        assertThatThrownBy(() -> config("cors = [\"fonts *\"]\nheaders-always = [\"** Access-Control-Max-Age: 1\"]"))
                .isInstanceOf(UsageException.class)
                .hasMessageStartingWith("sws.conf:3: headers-always")
                .hasMessageEndingWith(": Access-Control-Max-Age is set by cors");
        Files.writeString(site, "root = \"" + folder + "/a\"\ncors = [\"fonts *\"]\n");
        assertThatThrownBy(() -> config("headers = [\"** Access-Control-Allow-Origin: *\"]\n" + sites("a.example")))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("headers")
                .hasMessageEndingWith(": Access-Control-Allow-Origin is set by cors");
    }

    // A connection can't be both slower than allowed and as fast as it may be.
    @Test
    void connectionRateMax_isAboveTheLeastRate() throws Exception {
        assertThat(config("connection-rate-max = 1 MB\nwrite-rate-min = 500 B").get(SwsSettings.CONNECTION_RATE_MAX))
                .isEqualTo(1_000_000);
        assertThatThrownBy(() -> config("connection-rate-max = 2 KiB\nwrite-rate-min = 2 KiB"))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("more than write-rate-min");
        assertThatThrownBy(() -> new HostedSite(List.of(), config(""))).isInstanceOf(IllegalArgumentException.class);
    }
}
