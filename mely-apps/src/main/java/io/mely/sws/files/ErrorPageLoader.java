// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.files;

import io.mely.sws.http.ErrorPage;
import io.mely.sws.http.ErrorResponses;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Reads the error pages of those who are refused before they are let in, once: nobody looks at a disk for them. */
public final class ErrorPageLoader {
    private ErrorPageLoader() {}

    /**
     * Reads those that are there and short enough.
     *
     * @param root the folder that relative paths begin at
     * @param pages each status once
     * @return the bodies by status
     */
    public static Map<Integer, ErrorResponses.Page> load(Path root, List<ErrorPage> pages) {
        MimeTypes types = MimeTypes.bundled();
        Map<Integer, ErrorResponses.Page> bodies = new HashMap<>();
        for (ErrorPage page : pages) {
            Path file = root.resolve(page.file());
            if (Files.isRegularFile(file)) {
                try (InputStream in = Files.newInputStream(file)) {
                    byte[] body = in.readNBytes(ErrorPage.DOOR_BYTES_MAX + 1);
                    if (body.length <= ErrorPage.DOOR_BYTES_MAX) {
                        bodies.put(page.status(), new ErrorResponses.Page(types.of(file.toString()), body));
                    }
                } catch (IOException unreadable) {
                    // ErrorPageFile tells
                }
            }
        }
        return bodies;
    }
}
