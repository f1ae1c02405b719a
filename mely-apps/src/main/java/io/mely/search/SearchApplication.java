// SPDX-License-Identifier: Apache-2.0
package io.mely.search;

import io.mely.ErrorHandler;
import io.mely.Mely;
import io.mely.Stage;
import io.mely.deploy.StageFactory;
import io.mely.search.index.SearchIndex;
import io.mely.sws.Answer;
import io.mely.sws.Application;
import io.mely.sws.Request;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The search of a site, beside its files.
 *
 * <table>
 * <caption>What it answers</caption>
 * <tr><td>{@code /search?q=}</td><td>a page of results</td></tr>
 * <tr><td>{@code /search.json?q=}</td><td>the same for programs</td></tr>
 * <tr><td>{@code /suggest?q=}</td><td>titles, as JSON</td></tr>
 * <tr><td>{@code /wiki/QUERY}</td><td>a page of results, as the thesis's server has it</td></tr>
 * </table>
 *
 * <p><b>Threads.</b> Any.
 */
final class SearchApplication implements Application {
    private static final Logger LOG = System.getLogger(SearchApplication.class.getName());
    private static final int SUGGESTIONS_MAX = 8;
    private static final String WIKI = "/wiki/";
    private static final String HTML = "text/html; charset=utf-8";
    private static final String JSON = "application/json";
    private static final String POLICY =
            "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

    private final SearchStages stages;
    private final Stage<Suggest> suggester;
    private volatile SearchIndex index; // changed by who holds the server's monitor
    private final boolean isRootTaken;
    private final Map<String, Answer> files;

    private record Suggest(Request request, String typed, SearchIndex index, AtomicBoolean isDone) {
        /** Whether its index is still to be released, and its request to be answered; once. */
        boolean end() {
            return isDone.compareAndSet(false, true);
        }
    }

    /**
     * Makes it.
     *
     * @param mely of the server
     * @param index to be used first
     * @param cacheBytes of finished answers
     * @param isRootTaken whether {@code /} is the search page
     */
    SearchApplication(Mely mely, SearchIndex index, long cacheBytes, boolean isRootTaken) {
        this.index = index;
        this.isRootTaken = isRootTaken;
        stages = new SearchStages(StageFactory.of(mely), cacheBytes);
        suggester = mely.stage("Suggester", this::suggest);
        files = Map.of(
                "/search.css", file("search.css", "text/css; charset=utf-8"),
                "/search.js", file("search.js", "text/javascript; charset=utf-8"));
    }

    private static Answer file(String name, String type) {
        try (InputStream in = SearchApplication.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("not in the jar: " + name);
            }
            return Answer.of(200, type, in.readAllBytes()).with("Cache-Control", "max-age=3600");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    // ------------------------------------------------------------------ the index

    /** Uses another generation from now on. Queries under way end with the former one. */
    void use(SearchIndex fresh) throws IOException {
        SearchIndex former = index;
        index = fresh;
        stages.use(fresh);
        former.close();
    }

    SearchIndex index() {
        return index;
    }

    /** The index of now, held until it is released; null after the close. */
    private @Nullable SearchIndex hold() {
        SearchIndex current = index;
        while (!current.tryUse()) {
            SearchIndex fresh = index;
            if (fresh == current) {
                return null;
            }
            current = fresh;
        }
        return current;
    }

    private static void release(SearchIndex index) {
        try {
            index.release();
        } catch (IOException e) {
            LOG.log(Level.WARNING, "a former index could not be closed: " + index, e);
        }
    }

    // ------------------------------------------------------------------ requests

    @Override
    public boolean take(Request request) {
        String path = request.path();
        if (path.equals("/") && isRootTaken) {
            request.answer(page(ResultsPage.empty()));
            return true;
        }
        Answer file = files.get(path);
        if (file != null) {
            request.answer(file);
            return true;
        }
        if (path.startsWith(WIKI)) {
            search(request, decoded(path.substring(WIKI.length()).replace("+", "%2B")), false);
            return true;
        }
        switch (path) {
            case "/search" -> search(request, asked(request), false);
            case "/search.json" -> search(request, asked(request), true);
            case "/suggest" -> suggest(request);
            default -> {
                return false;
            }
        }
        return true;
    }

    /** The field {@code q} of a query; null if it is malformed. */
    private static @Nullable String asked(Request request) {
        for (String field : request.query().split("&", -1)) {
            if (field.startsWith("q=")) {
                return decoded(field.substring(2));
            }
        }
        return "";
    }

    private static @Nullable String decoded(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private void search(Request request, @Nullable String asked, boolean isJson) {
        if (asked == null) {
            request.answer(Answer.text(400, "the query is not well-formed"));
            return;
        }
        if (asked.isBlank() && !isJson) {
            request.answer(page(ResultsPage.empty()));
            return;
        }
        SearchIndex held = hold();
        if (held == null) {
            request.answer(busy());
            return;
        }
        Search search = new Search(
                asked,
                request.color(),
                held,
                request.takesGzip(),
                isJson,
                answer -> answer(request, answer, isJson, held));
        if (!stages.begin(search)) {
            search.fail();
        }
    }

    private static void answer(Request request, Search.@Nullable Answer answer, boolean isJson, SearchIndex held) {
        try {
            request.answer(answer == null ? busy() : found(answer, isJson));
        } finally {
            release(held);
        }
    }

    private static Answer found(Search.Answer answer, boolean isJson) {
        byte[] compressed = answer.compressed();
        byte[] body = compressed == null ? answer.content() : compressed;
        Answer made = isJson
                ? Answer.of(200, JSON, body).with("Vary", "Accept-Encoding").with("X-Content-Type-Options", "nosniff")
                : page(body);
        return compressed == null ? made : made.with("Content-Encoding", "gzip");
    }

    private static Answer busy() {
        return Answer.text(503, "the search did not answer").with("Retry-After", "1");
    }

    private static Answer page(byte[] body) {
        return Answer.of(200, HTML, body)
                .with("Vary", "Accept-Encoding")
                .with("Content-Security-Policy", POLICY)
                .with("X-Content-Type-Options", "nosniff")
                .with("Referrer-Policy", "same-origin");
    }

    private void suggest(Request request) {
        String typed = asked(request);
        if (typed == null || typed.length() > SearchStages.LETTERS_MAX) {
            request.answer(Answer.text(400, "the query is not well-formed"));
            return;
        }
        SearchIndex held = hold();
        if (held == null) {
            request.answer(busy());
            return;
        }
        if (!suggester.offer(request.color(), new Suggest(request, typed, held, new AtomicBoolean()))) {
            release(held);
            request.answer(busy());
        }
    }

    private void suggest(Suggest asked) throws IOException {
        byte[] titles = ResultsJson.suggestions(asked.index().suggestions(asked.typed(), SUGGESTIONS_MAX));
        end(asked, Answer.of(200, JSON, titles).with("X-Content-Type-Options", "nosniff"));
    }

    private static void end(Suggest asked, Answer answer) {
        if (asked.end()) {
            try {
                asked.request().answer(answer);
            } finally {
                release(asked.index());
            }
        }
    }

    @Override
    public void failed(ErrorHandler.Failure failure) {
        Search search = SearchStages.of(failure.event());
        if (search != null) {
            search.fail();
        } else if (failure.event() instanceof Suggest suggest) {
            end(suggest, busy());
        }
    }
}
