// SPDX-License-Identifier: Apache-2.0
package io.mely.search.cli;

import io.mely.Deployment;
import io.mely.cli.Addresses;
import io.mely.cli.CommonSettings;
import io.mely.cli.CoreTable;
import io.mely.cli.Program;
import io.mely.cli.StartException;
import io.mely.cli.TemporaryFolder;
import io.mely.cli.Text;
import io.mely.cli.UsageException;
import io.mely.cli.Values;
import io.mely.search.SearchServer;
import io.mely.search.corpus.Corpus;
import io.mely.search.index.DamagedIndexException;
import io.mely.search.index.IndexFolder;
import io.mely.search.index.Indexer;
import io.mely.sws.SwsConfig;
import io.mely.sws.SwsSettings;
import io.mely.sws.cli.HttpService;
import io.mely.sws.cli.HttpSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The search server, as the command line runs it. */
final class SearchProgram implements Program {
    private static final String HELP = """
            Usage: java -jar search.jar [DIR] [--root DIR] [--index DIR] [--reindex]
                     [--demo] [--port N] [--bind ADDR] [--cores N|auto] [--stages FILE]
                     [--max-clients N] [--config FILE] [--stats] [--rehearse]
                     [--version] [--help|-h]

            Searches the pages of a folder, and serves them over HTTP.

                  [DIR]             What is searched: a folder of HTML, Markdown and text
                                      files, or the .index file of a dictionary in
                                      dictd's format. Default: the current folder.
                  --root DIR        The same, as a flag.
                  --index DIR       Folder of the index; made of the root if it is not
                                      there. Default: .search
                  --reindex         Make a new index first. A server that runs uses it,
                                      too.
                  --demo            Search some thousand made-up pages.
                  --port N          TCP port to listen on; 0 lets the system choose.
                                      Default: 8081.
                  --bind ADDR       Address to listen on. Default: 127.0.0.1.
                  --admin PORT      Live page, probes and metrics for operators, on this
                                      port of 127.0.0.1, or HOST:PORT. Default: off.
                  --cores N|auto    Number of cores, 1 to 1024. Default: auto, what this
                                      machine allows.
                  --stages FILE     Scheduling policies of the stages. Default: colors,
                                      with stealing.
                  --max-clients N   Most clients served at once. Default: 10000.
                  --config FILE     Configuration file; config/search.conf in the sources
                                      explains every key.
                  --stats           Print statistics at exit, to standard error.
                  --rehearse        Start on a free port, answer one query of its own,
                                      and exit: checks the configuration and the index.
                  --version         Print the version and exit.
                  --help            Print this text and exit.

            Flags win over environment variables (SEARCH_PORT, SEARCH_ROOT, ...), which
            win over the file of --config or SEARCH_CONFIG.

            SIGTERM and SIGINT stop it when running answers are through; a second one
            stops it at once. Exit codes: 0 stopped, 1 could not start, 2 wrong usage.
            """;

    private static final int DEMO_PAGES = 5_000;

    @Override
    public Usage usage() {
        return new Usage(
                Settings.TABLE,
                Settings.ROOT,
                Settings.PORT,
                List.of(CommonSettings.STATS, Settings.REINDEX, Settings.DEMO),
                HELP);
    }

    @Override
    public Service start(Values values) throws UsageException, StartException, IOException {
        Deployment stages = HttpSettings.stages(values, SearchServer.stageNames());
        if (!values.get(Settings.DEMO)) {
            return start(values, stages, values.get(Settings.INDEX), null);
        }
        TemporaryFolder demo = TemporaryFolder.create("search-demo");
        boolean isStarted = false;
        try {
            Service running = start(values, stages, demo.path(), demo);
            isStarted = true;
            return running;
        } finally {
            if (!isStarted) {
                demo.close();
            }
        }
    }

    private static Service start(Values values, Deployment stages, Path index, @Nullable TemporaryFolder demo)
            throws UsageException, StartException, IOException {
        Path root = values.get(Settings.ROOT);
        boolean isDemo = demo != null;
        IndexFolder folder = new IndexFolder(index);
        if (isDemo || values.get(Settings.REINDEX) || !hasIndex(folder)) {
            index(isDemo ? Corpus.demo(DEMO_PAGES) : open(values, root), folder, values.get(SwsSettings.CORES));
        }
        boolean isSiteServed = !isDemo && values.get(Settings.SITE) && Files.isDirectory(root);
        Path files = isSiteServed ? root.toAbsolutePath() : emptyRoot(index);
        SwsConfig http =
                HttpSettings.builder(values, Settings.PORT, files, stages).build();
        try {
            return new Running(
                    SearchServer.start(new SearchServer.Config(
                            http, folder, values.get(Settings.CACHE), isSiteServed, values.get(Settings.RELOAD))),
                    values,
                    index,
                    demo);
        } catch (DamagedIndexException e) {
            throw new StartException(Text.escape(String.valueOf(e.getMessage())) + " (--reindex makes a new one)");
        }
    }

    private static Corpus open(Values values, Path root) throws StartException {
        try {
            return Corpus.open(root);
        } catch (IOException e) {
            throw new StartException(
                    values.describe(Settings.ROOT) + ": " + Text.escape(String.valueOf(e.getMessage())));
        }
    }

    private static boolean hasIndex(IndexFolder folder) throws IOException {
        try {
            return Files.exists(folder.current());
        } catch (NoSuchFileException e) {
            return false;
        } catch (DamagedIndexException e) {
            return true; // which is said when it is opened
        }
    }

    private static void index(Corpus corpus, IndexFolder folder, int cores) throws IOException {
        long startNs = System.nanoTime();
        int pages = Indexer.index(corpus, folder, cores, count -> {});
        System.err.println(String.format(
                Locale.ROOT, "search: indexed %,d pages in %.1f s", pages, (System.nanoTime() - startNs) / 1e9));
    }

    /** A server has a root; this one has no files. */
    private static Path emptyRoot(Path index) throws IOException {
        return Files.createDirectories(index.toAbsolutePath().resolve("files"));
    }

    private static final class Running extends HttpService {
        private final SearchServer server;
        private final Path index;

        Running(SearchServer server, Values values, Path index, @Nullable TemporaryFolder demo) {
            super(server.http(), server::close, values, "/search?q=rehearsal", demo);
            this.server = server;
            this.index = index;
        }

        @Override
        public String readyLine() {
            return String.format(
                    Locale.ROOT,
                    "search listening on %s/search (index %s, %,d pages, %d cores)",
                    Addresses.url(server.localAddress()),
                    Text.escape(index.toString()),
                    server.pages(),
                    server.stats().cores().size());
        }

        @Override
        public void reload() {
            boolean unused = server.look();
        }

        @Override
        public String statistics() {
            StringBuilder report = new StringBuilder("search statistics\n");
            CoreTable.append(server.stats(), report);
            return report.toString();
        }
    }
}
