// SPDX-License-Identifier: Apache-2.0
package io.mely;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;

/** Says which version of Mely is running. */
public final class Version {

    private static final String RESOURCE = "version.properties";
    private static final String VERSION = load();

    private Version() {}

    /**
     * Returns the version of this library as its build named it, such as {@code 1.2.0}.
     *
     * @return the version, never empty
     */
    public static String version() {
        return VERSION;
    }

    private static String load() {
        Properties properties = new Properties();
        try (InputStream in = Version.class.getResourceAsStream(RESOURCE)) {
            if (in == null) {
                throw new IllegalStateException("resource missing from the jar: resource=io/mely/" + RESOURCE);
            }
            properties.load(in);
        } catch (IOException e) {
            throw new UncheckedIOException("resource unreadable: resource=io/mely/" + RESOURCE, e);
        }
        String version = properties.getProperty("version", "");
        if (version.isEmpty()) {
            throw new IllegalStateException("no version in resource: resource=io/mely/" + RESOURCE);
        }
        return version;
    }
}
