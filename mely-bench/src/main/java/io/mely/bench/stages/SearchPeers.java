// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stages;

import io.mely.Color;
import io.mely.Mely;
import io.mely.bench.paper.CheckFailedException;
import io.mely.cli.TemporaryFolder;
import io.mely.deploy.StageFactory;
import io.mely.search.SearchEngine;
import io.mely.search.SearchServer;
import io.mely.search.index.IndexFolder;
import io.mely.search.index.SearchIndex;
import io.mely.sws.SwsConfig;
import io.mely.sws.SwsSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The search without our stages, and as a whole server: Lucene called by a pool, Lucene behind Jetty, and search.jar's server, the last two over HTTP on the loopback address, asked by the same client.
 */
final class SearchPeers {
    static final String LUCENE = "lucene-pool";
    static final String JETTY = "jetty-lucene" + Contenders.HTTP;
    static final String SERVER = "search-server" + Contenders.HTTP;

    static final List<String> NAMES = List.of(LUCENE, SERVER, JETTY);

    private static final int COMPARED = 1_000;
    private static final long PATIENCE_S = 60;

    private final IndexFolder folder;
    private final SearchIndex index;
    private final List<String> queries;
    private final byte[][] requests;
    private final int cores;
    private final int clients;
    private final long cacheBytes;

    SearchPeers(IndexFolder folder, SearchIndex index, List<String> queries, int cores, int clients, long cacheBytes) {
        this.folder = folder;
        this.index = index;
        this.queries = queries;
        this.cores = cores;
        this.clients = clients;
        this.cacheBytes = cacheBytes;
        requests = queries.stream()
                .map(query -> ("GET /search?q=" + URLEncoder.encode(query, StandardCharsets.UTF_8)
                                + " HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\n\r\n")
                        .getBytes(StandardCharsets.US_ASCII))
                .toArray(byte[][]::new);
    }

    /** Starts one of {@link #NAMES}. */
    Contender make(String name) {
        return switch (name) {
            case LUCENE -> pool();
            case SERVER -> server();
            case JETTY -> jetty();
            default -> throw new IllegalArgumentException(name);
        };
    }

    private Contender pool() {
        LuceneSearch lucene = lucene();
        ExecutorService pool = Executors.newFixedThreadPool(cores);
        return new Whole(
                (number, color, answer) -> {
                    pool.execute(() -> {
                        boolean isAnswered = false;
                        try {
                            isAnswered = page(lucene, queries.get(number % queries.size())).length > 0;
                        } finally {
                            answer.accept(isAnswered);
                        }
                    });
                    return true;
                },
                () -> {
                    Contenders.stop(pool);
                    close(lucene);
                });
    }

    private Contender jetty() {
        LuceneSearch lucene = lucene();
        try {
            JettyPeer jetty = new JettyPeer(query -> page(lucene, query));
            return asked(jetty.address(), () -> {
                jetty.close();
                close(lucene);
            });
        } catch (Exception e) {
            throw new IllegalStateException("Jetty does not start", e);
        }
    }

    private Contender server() {
        try {
            Path root = Files.createTempDirectory("stages-search-files");
            SearchServer server = SearchServer.start(new SearchServer.Config(
                    SwsConfig.builder(root)
                            .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                            .set(SwsSettings.CORES, cores)
                            .build(),
                    folder,
                    cacheBytes,
                    false,
                    Duration.ZERO));
            return asked(server.localAddress(), () -> {
                server.close();
                TemporaryFolder.delete(root);
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw interrupted();
        }
    }

    private Contender asked(InetSocketAddress address, Runnable stop) throws InterruptedException {
        HttpAsker asker = new HttpAsker(address, clients);
        return new Whole(
                (number, color, answer) -> {
                    asker.ask(requests[number % requests.length], answer);
                    return true;
                },
                () -> {
                    asker.close();
                    stop.run();
                });
    }

    private LuceneSearch lucene() {
        try {
            return new LuceneSearch(index);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static byte[] page(LuceneSearch lucene, String query) {
        try {
            return lucene.search(query).page();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void close(LuceneSearch lucene) {
        try {
            lucene.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static CheckFailedException interrupted() {
        Thread.currentThread().interrupt();
        return new CheckFailedException("interrupted");
    }

    // ------------------------------------------------------------------ the same answers

    /**
     * Asks the stages and Lucene the same.
     *
     * @return what was found
     * @throws CheckFailedException if a query without unknown words has another answer
     */
    String compare() throws IOException {
        int same = 0;
        int other = 0;
        int compared = Math.min(COMPARED, queries.size());
        try (LuceneSearch lucene = new LuceneSearch(index);
                Mely mely = Mely.builder().name("stages").cores(1).build()) {
            SearchEngine engine = new SearchEngine(StageFactory.of(mely), index, 0);
            mely.start();
            for (String query : queries.subList(0, compared)) {
                byte[] expected = ask(engine, mely.color(query), query);
                LuceneSearch.Answer answer = lucene.search(query);
                if (Arrays.equals(expected, answer.page())) {
                    same++;
                } else if (answer.isKnown()) {
                    throw new CheckFailedException("Lucene has another answer to: " + query);
                } else {
                    other++;
                }
            }
        }
        return "Of " + compared + " queries Lucene's answers are the same for " + same + "; the other " + other
                + " have unknown words, which it replaces in another way.";
    }

    private static byte[] ask(SearchEngine engine, Color color, String query) {
        CompletableFuture<SearchEngine.Result> answer = new CompletableFuture<>();
        if (!engine.ask(color, query, answer::complete)) {
            throw new CheckFailedException("refused: " + query);
        }
        try {
            SearchEngine.Result result = answer.get(PATIENCE_S, TimeUnit.SECONDS);
            if (result == null) {
                throw new CheckFailedException("given up: " + query);
            }
            return result.page();
        } catch (ExecutionException | TimeoutException e) {
            throw new CheckFailedException("not answered: " + query + ": " + e);
        } catch (InterruptedException e) {
            throw interrupted();
        }
    }
}
