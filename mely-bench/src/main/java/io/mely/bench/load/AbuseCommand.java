// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.load;

import io.mely.bench.Commands;
import io.mely.bench.load.AbusiveClients.Answer;
import io.mely.bench.load.AbusiveClients.End;
import io.mely.bench.load.SoakCommand.Look;
import io.mely.bench.report.Environment;
import io.mely.bench.report.Json;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.imageio.ImageIO;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * {@code abuse}: the image or the search server, with a small heap, between good clients and abusive ones for a long time; then, what is lost or left behind.
 *
 * <p>A good client sends a picture and waits until it is finished, or asks a query and wants the answer that it got the first time. Each of its requests is answered or refused with 503, and a refused one is sent again.
 */
@Command(
        name = "abuse",
        mixinStandardHelpOptions = true,
        description =
                "Loads images.jar or search.jar with good and abusive clients together, and says what is lost or left behind.")
public final class AbuseCommand implements Callable<Integer> {
    private static final int CANNOT_RUN = 1;
    private static final int FAILED = 3;
    private static final int WARM_SHARE = 10;
    private static final int ABUSERS = 4;
    private static final int ANSWER_MS = 120_000;
    private static final long AGAIN_MS = 50;
    private static final int WIDTH = 640;
    private static final int HEIGHT = 480;
    private static final Pattern ADDRESS = Pattern.compile("\"address\" ?: ?\"([^\"]+)\"");
    private static final int PAGES = 500;
    private static final int PAGE_WORDS = 40;
    private static final List<String> WORDS = List.of(
            "river", "otter", "small", "animal", "quick", "fox", "night", "grey", "heron", "bank", "stone", "water");
    private static final List<String> QUERIES =
            List.of("otter", "grey+heron", "small+quick+animal", "otterr", "the+night", "page+17", "water+and+stone");

    @Spec
    @SuppressWarnings("NullAway.Init") // by picocli
    private CommandSpec spec;

    @Option(names = "--server", description = "images or search (default: ${DEFAULT-VALUE}).")
    private String name = "images";

    @Option(names = "--jar", description = "Its jar (default: that of the name in mely-apps/target).")
    private @Nullable Path jar;

    @Option(names = "--java", description = "That runs it (default: this one).")
    private String java =
            Path.of(System.getProperty("java.home"), "bin", "java").toString();

    @Option(names = "--minutes", description = "(default: ${DEFAULT-VALUE})")
    private double minutes = 30;

    @Option(names = "--clients", description = "Good ones (default: ${DEFAULT-VALUE}).")
    private int clients = 8;

    @Option(names = "--heap", description = "Of the server (default: ${DEFAULT-VALUE}).")
    private String heap = "256m";

    @Option(names = "--json", description = "Writes all figures.")
    private @Nullable Path json;

    private final long startNs = System.nanoTime();
    private final LongAdder sent = new LongAdder();
    private final LongAdder answered = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final ConcurrentLinkedQueue<String> wrong = new ConcurrentLinkedQueue<>();
    private final Map<String, String> firstAnswers = new ConcurrentHashMap<>();
    private final AtomicInteger pictures = new AtomicInteger();
    private volatile boolean isStopped;

    private AbuseCommand() {}

    /**
     * Runs the command.
     *
     * @param args without the word {@code abuse}
     * @return 0; 1 if it could not run; 2 for wrong options; 3 if something was lost or left behind
     */
    public static int execute(String... args) {
        return Commands.execute(new AbuseCommand(), args);
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (!Server.HEAPED.contains(name) || minutes <= 0 || clients < 1) {
            throw new ParameterException(
                    spec.commandLine(), "server must be one of " + Server.HEAPED + ", minutes > 0, clients >= 1");
        }
        PrintWriter out = spec.commandLine().getOut();
        Map<String, String> environment = Environment.describe();
        environment.put("server", name + ", heap " + heap);
        environment.put("good clients", Integer.toString(clients));
        environment.put("minutes", Double.toString(minutes));
        environment.forEach((what, value) -> out.printf("%s: %s%n", what, value));
        List<String> problems = new ArrayList<>();
        List<Look> looks = new ArrayList<>();
        AbusiveClients abusive;
        try (Site site = Site.create()) {
            byte[] picture = picture();
            if (name.equals("search")) {
                writePages(site.root());
            }
            Server server = Server.start(name, setting(site));
            boolean isImages = name.equals("images");
            abusive = new AbusiveClients(server.port, isImages ? Abuses.ofImages(picture) : Abuses.ofSearch());
            try (server) {
                double warm = minutes / WARM_SHARE;
                run(server, abusive, picture, warm);
                looks.add(look(server, out));
                run(server, abusive, picture, minutes - warm);
                looks.add(look(server, out));
            }
            if (server.exitCode() != 0) {
                problems.add("the server ended with " + server.exitCode() + ": " + server.output());
            }
        } catch (IOException e) {
            spec.commandLine().getErr().println("abuse: " + e.getMessage());
            return CANNOT_RUN;
        }
        problems.addAll(problems(looks, abusive));
        return report(out, environment, looks, abusive, problems);
    }

    private Server.Setting setting(Site site) {
        Path program = jar == null ? Path.of("mely-apps", "target", name + ".jar") : jar;
        return new Server.Setting(
                site.dir(),
                site.root(),
                0,
                "",
                Runtime.getRuntime().availableProcessors(),
                program.toAbsolutePath(),
                site.dir(),
                java,
                List.of("-Xmx" + heap, JvmMemory.OPTION),
                Map.of("IMAGES_STORE_MAX", "50 MB", "IMAGES_CLIENT_RATE", "0", "SEARCH_CLIENT_RATE", "0"),
                List.of());
    }

    private static void writePages(Path root) throws IOException {
        Random random = new Random(1);
        for (int i = 0; i < PAGES; i++) {
            StringBuilder text = new StringBuilder("# Page " + i + "\n\n");
            for (int n = 0; n < PAGE_WORDS; n++) {
                text.append(WORDS.get(random.nextInt(WORDS.size()))).append(' ');
            }
            Files.writeString(root.resolve("page-" + i + ".md"), text);
        }
    }

    private static byte[] picture() throws IOException {
        BufferedImage image = new BufferedImage(WIDTH, HEIGHT, BufferedImage.TYPE_INT_RGB);
        Random random = new Random(1);
        for (int y = 0; y < HEIGHT; y++) {
            for (int x = 0; x < WIDTH; x++) {
                image.setRGB(x, y, (x * 255 / WIDTH) << 16 | (y * 255 / HEIGHT) << 8 | random.nextInt(32));
            }
        }
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        if (!ImageIO.write(image, "jpeg", file)) {
            throw new IOException("this JDK writes no JPEG");
        }
        return file.toByteArray();
    }

    private Look look(Server server, PrintWriter out) throws IOException, InterruptedException {
        SoakCommand.rest(server);
        Look look = Look.of(server, java, true, (System.nanoTime() - startNs) / 1e9);
        out.println(look);
        out.flush();
        return look;
    }

    // ------------------------------------------------------------------ clients

    private void run(Server server, AbusiveClients abusive, byte[] picture, double forMinutes)
            throws InterruptedException {
        isStopped = false;
        abusive.allow();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < ABUSERS; i++) {
            threads.add(new Thread(abusive, "abusive-" + i));
        }
        for (int i = 0; i < clients; i++) {
            int client = i;
            threads.add(new Thread(() -> beGood(client, server.port, picture), "good-" + i));
        }
        threads.forEach(thread -> {
            thread.setDaemon(true);
            thread.start();
        });
        TimeUnit.MILLISECONDS.sleep((long) (forMinutes * 60_000));
        isStopped = true;
        abusive.stop();
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private void beGood(int client, int port, byte[] picture) {
        int turn = client;
        while (!isStopped) {
            try {
                if (name.equals("images")) {
                    sendPicture(port, picture);
                } else {
                    askQuery(port, QUERIES.get(turn++ % QUERIES.size()));
                }
            } catch (IOException e) {
                wrong.add(String.valueOf(e));
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    /** Until it is not refused. */
    private Answer ask(int port, byte[] request) throws IOException, InterruptedException {
        while (true) {
            sent.increment();
            Answer answer;
            try (Socket socket = new Socket()) {
                socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), ANSWER_MS);
                socket.setSoTimeout(ANSWER_MS);
                answer = AbusiveClients.ask(socket, request);
            }
            if (!answer.isRefusal()) {
                answered.increment();
                return answer;
            }
            refused.increment();
            TimeUnit.MILLISECONDS.sleep(AGAIN_MS);
        }
    }

    private void sendPicture(int port, byte[] picture) throws IOException, InterruptedException {
        byte[] comment = ByteBuffer.allocate(8)
                .put(new byte[] {(byte) 0xff, (byte) 0xfe, 0, 6})
                .putInt(pictures.incrementAndGet())
                .array();
        byte[] body = ByteBuffer.allocate(picture.length + comment.length)
                .put(picture, 0, 2)
                .put(comment)
                .put(picture, 2, picture.length - 2)
                .array();
        Answer taken = ask(port, Abuses.post("image/jpeg", body));
        Matcher address = ADDRESS.matcher(taken.text());
        if (taken.status() != 202 || !address.find()) {
            wrong.add("a picture: " + taken.text());
            return;
        }
        byte[] look = Abuses.get(address.group(1));
        Answer status = ask(port, look);
        while (status.status() == 200 && status.text().contains("\"processing\"")) {
            TimeUnit.MILLISECONDS.sleep(AGAIN_MS);
            status = ask(port, look);
        }
        if (status.status() != 200 || !status.text().contains("\"finished\"")) {
            wrong.add("a picture's state: " + status.text());
        }
    }

    private void askQuery(int port, String query) throws IOException, InterruptedException {
        Answer answer = ask(port, Abuses.get("/search.json?q=" + query));
        String body = answer.text().substring(answer.text().indexOf("\r\n\r\n") + 1);
        String first = firstAnswers.putIfAbsent(query, body);
        if (answer.status() != 200 || (first != null && !first.equals(body))) {
            wrong.add(query + ": " + answer.text());
        }
    }

    // ------------------------------------------------------------------ verdict

    private List<String> problems(List<Look> looks, AbusiveClients abusive) {
        List<String> problems = new ArrayList<>();
        wrong.stream().limit(10).forEach(what -> problems.add("good clients: " + what));
        if (answered.sum() == 0 || sent.sum() != answered.sum() + refused.sum()) {
            problems.add("good clients: " + sent + " sent, " + answered + " answered, " + refused + " refused");
        }
        abusive.wrong().forEach(problems::add);
        SoakCommand.grown(looks.get(0), looks.get(looks.size() - 1), problems);
        return problems;
    }

    private int report(
            PrintWriter out,
            Map<String, String> environment,
            List<Look> looks,
            AbusiveClients abusive,
            List<String> problems) {
        out.printf("good clients: %,d sent, %,d answered, %,d refused%n", sent.sum(), answered.sum(), refused.sum());
        abusive.ends().forEach((what, ends) -> out.println(what + ": " + ends));
        problems.forEach(problem -> out.println("PROBLEM: " + problem));
        out.println(problems.isEmpty() ? "nothing lost, nothing left behind" : problems.size() + " problems");
        out.flush();
        if (json != null) {
            Map<String, Object> all = new LinkedHashMap<>();
            all.put("environment", environment);
            all.put("good", Map.of("sent", sent.sum(), "answered", answered.sum(), "refused", refused.sum()));
            Map<String, Object> books = new LinkedHashMap<>();
            abusive.ends().forEach((what, ends) -> books.put(what, named(ends)));
            all.put("abusive", books);
            all.put("looks", looks.stream().map(Look::json).toList());
            all.put("problems", problems);
            try {
                Files.writeString(json, Json.write(all));
            } catch (IOException e) {
                spec.commandLine().getErr().println("abuse: " + e);
                return CANNOT_RUN;
            }
        }
        return problems.isEmpty() ? 0 : FAILED;
    }

    private static Map<String, Object> named(EnumMap<End, Integer> ends) {
        Map<String, Object> named = new LinkedHashMap<>();
        ends.forEach((end, count) -> named.put(end.toString(), count));
        return named;
    }
}
