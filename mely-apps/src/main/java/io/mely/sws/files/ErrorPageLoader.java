// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.files;

import io.mely.sws.http.ErrorPage;
import io.mely.sws.http.ErrorResponses;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Reads the error pages of a configuration, once, when the server starts. */
public final class ErrorPageLoader {
    private ErrorPageLoader() {}

    /**
     * Reads all.
     *
     * @param root the folder that relative paths begin at
     * @param pages each status once
     * @return the bodies by status
     * @throws IOException naming the status and the file that can't be used
     */
    public static Map<Integer, ErrorResponses.Page> load(Path root, List<ErrorPage> pages) throws IOException {
        MimeTypes types = MimeTypes.bundled();
        Map<Integer, ErrorResponses.Page> bodies = new HashMap<>();
        for (ErrorPage page : pages) {
            Path file = root.resolve(page.file());
            byte[] body = read(page.status(), file);
            bodies.put(page.status(), new ErrorResponses.Page(types.of(file.toString()), body));
        }
        return bodies;
    }

    private static byte[] read(int status, Path file) throws IOException {
        String start = "error page for " + status + ": " + file + ": ";
        if (Files.exists(file) && !Files.isRegularFile(file)) {
            throw new IOException(start + "no regular file"); // opening a pipe would wait
        }
        try (InputStream in = Files.newInputStream(file)) {
            byte[] body = in.readNBytes(ErrorPage.BYTES_MAX + 1);
            if (body.length > ErrorPage.BYTES_MAX) {
                throw new IOException(start + "longer than " + ErrorPage.BYTES_MAX + " bytes");
            }
            return body;
        } catch (NoSuchFileException missing) {
            throw new IOException(start + "no such file", missing);
        } catch (AccessDeniedException denied) {
            throw new IOException(start + "may not be read", denied);
        }
    }
}
