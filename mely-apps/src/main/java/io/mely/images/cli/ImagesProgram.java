// SPDX-License-Identifier: Apache-2.0
package io.mely.images.cli;

import io.mely.Deployment;
import io.mely.cli.Addresses;
import io.mely.cli.CommonSettings;
import io.mely.cli.CoreTable;
import io.mely.cli.Program;
import io.mely.cli.SelfClient;
import io.mely.cli.StartException;
import io.mely.cli.TemporaryFolder;
import io.mely.cli.Text;
import io.mely.cli.UsageException;
import io.mely.cli.Values;
import io.mely.images.ImagesServer;
import io.mely.images.Recipe;
import io.mely.images.picture.PictureFormat;
import io.mely.images.picture.PictureLimits;
import io.mely.images.picture.PictureWriter;
import io.mely.sws.SwsConfig;
import io.mely.sws.cli.HttpService;
import io.mely.sws.cli.HttpSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The image server, as the command line runs it. */
final class ImagesProgram implements Program {
    private static final String HELP = """
            Usage: java -jar images.jar [DIR] [--root DIR] [--store-max SIZE]
                     [--upload-max SIZE] [--demo] [--list] [--port N] [--bind ADDR]
                     [--admin PORT] [--cores N|auto] [--stages FILE]
                     [--max-clients N] [--config FILE] [--stats] [--rehearse]
                     [--version] [--help|-h]

            Takes pictures (JPEG, PNG, WebP) over HTTP, and serves smaller, blurred and
            re-encoded versions of them.

              DIR                 Folder of the results. Default: the current folder.
              --root DIR          The same, as a flag.
              --store-max SIZE    Most that results take on the disk; beyond it the oldest
                                  are removed. Default: 1 GiB.
              --upload-max SIZE   Longest body of a request. Default: 32 MiB.
              --demo              Draw some pictures, and show them.
              --list              Show everybody the newest pictures.
              --port N            TCP port to listen on; 0 lets the system choose.
                                  Default: 8082.
              --bind ADDR         Address to listen on. Default: 127.0.0.1.
              --admin PORT        Live page, probes and metrics for operators, on this
                                  port of 127.0.0.1, or HOST:PORT. Default: off.
              --cores N|auto      Number of cores, 1 to 1024. Default: auto, what this
                                  machine allows.
              --stages FILE       Scheduling policies of the stages. Default: colors, with
                                  stealing; threads of its own for the disk.
              --max-clients N     Most clients served at once. Default: 10000.
              --config FILE       Configuration file; config/images.conf in the sources
                                  explains every key.
              --stats             Print statistics at exit, to standard error.
              --rehearse          Start on a free port, answer one request of its own, and
                                  exit: checks the configuration and the folder.
              --version           Print the version and exit.
              --help              Print this text and exit.

            Flags win over environment variables (IMAGES_PORT, IMAGES_ROOT, ...), which
            win over the file of --config or IMAGES_CONFIG.

            SIGTERM and SIGINT stop it when uploads and pictures in work are through; a
            second one stops it at once. Exit codes: 0 stopped, 1 could not start, 2
            wrong usage.
            """;

    @Override
    public Usage usage() {
        return new Usage(
                Settings.TABLE,
                Settings.ROOT,
                Settings.PORT,
                List.of(CommonSettings.STATS, Settings.DEMO, Settings.LIST),
                HELP);
    }

    @Override
    public Service start(Values values) throws UsageException, StartException, IOException {
        Deployment stages = HttpSettings.stages(values, ImagesServer.stageNames());
        Recipe recipe = recipe(values);
        if (!values.get(Settings.DEMO)) {
            return start(values, stages, recipe, values.get(Settings.ROOT).toAbsolutePath(), null);
        }
        TemporaryFolder demo = TemporaryFolder.create("images-demo");
        boolean isStarted = false;
        try {
            Running running = start(values, stages, recipe, demo.path(), demo);
            running.uploadDemo();
            isStarted = true;
            return running;
        } finally {
            if (!isStarted) {
                demo.close();
            }
        }
    }

    private static Running start(
            Values values, Deployment stages, Recipe recipe, Path root, @Nullable TemporaryFolder demo)
            throws UsageException, StartException, IOException {
        SwsConfig.Builder http = HttpSettings.builder(values, Settings.PORT, root, stages);
        ImagesServer server = ImagesServer.start(
                new ImagesServer.Config(
                        root,
                        recipe,
                        new PictureLimits(values.get(Settings.PIXELS_MAX), values.get(Settings.SIDE_MAX)),
                        values.get(Settings.UPLOAD_MAX),
                        values.get(Settings.FILE_MAX),
                        values.get(Settings.FILES_MAX),
                        values.get(Settings.STORE_MAX),
                        values.get(Settings.DISK_THREADS),
                        demo != null || values.get(Settings.LIST)),
                http);
        return new Running(server, values, root, demo);
    }

    private static Recipe recipe(Values values) throws StartException, UsageException {
        List<PictureFormat> formats = values.get(Settings.FORMATS).stream()
                .map(PictureFormat::ofExtension)
                .map(Objects::requireNonNull)
                .distinct()
                .toList();
        if (formats.isEmpty()) {
            throw new UsageException(List.of(values.describe(Settings.FORMATS) + ": one at least is needed"));
        }
        if (formats.contains(PictureFormat.WEBP) && !PictureWriter.isWebpWritten()) {
            System.err.println("images: webp is left out: there is no encoder of it for this machine");
            formats = formats.stream()
                    .filter(format -> format != PictureFormat.WEBP)
                    .toList();
        }
        if (formats.isEmpty()) {
            throw new StartException(values.describe(Settings.FORMATS) + ": no format is left");
        }
        return new Recipe(values.get(Settings.VERSIONS), formats, values.get(Settings.QUALITY));
    }

    private static final class Running extends HttpService {
        private final ImagesServer server;
        private final Path root;

        Running(ImagesServer server, Values values, Path root, @Nullable TemporaryFolder demo) {
            super(server.http(), server::close, values, "/statistics", demo);
            this.server = server;
            this.root = root;
        }

        @Override
        public String readyLine() {
            return String.format(
                    Locale.ROOT,
                    "images listening on %s/ (results in %s, %,d pictures, %d cores)",
                    Addresses.url(server.localAddress()),
                    Text.escape(root.toString()),
                    server.pictures(),
                    server.stats().cores().size());
        }

        private void uploadDemo() throws IOException {
            for (byte[] picture : Demo.pictures()) {
                byte[] head = SelfClient.http(
                        "POST /images", "Content-Type: image/jpeg\r\nContent-Length: " + picture.length + "\r\n");
                byte[] request = Arrays.copyOf(head, head.length + picture.length);
                System.arraycopy(picture, 0, request, head.length, picture.length);
                boolean unused = new SelfClient(server.localAddress()).isAnswered(request, "HTTP/1.1 2");
            }
        }

        @Override
        public String statistics() {
            StringBuilder report = new StringBuilder("images statistics\n");
            server.statistics()
                    .figures(System.nanoTime())
                    .forEach((name, value) -> report.append(
                            String.format(Locale.ROOT, "  %-22s %,15d%n", name, ((Number) value).longValue())));
            CoreTable.append(server.stats(), report);
            return report.toString();
        }
    }
}
