// SPDX-License-Identifier: Apache-2.0
package io.mely.cli;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.logging.LogManager;

/**
 * Configures java.util.logging: single lines on standard error, warnings and worse, written by {@link StandardErrorHandler}, so that logging never waits. {@code System.Logger}, SLF4J and Netty all end there.
 *
 * <p>The log manager makes one of these when something is logged for the first time, so a server that has nothing to say
 * doesn't pay for it. A user's own {@code -Djava.util.logging.config.file} or {@code .class} wins.
 */
public final class LogSetup {
    private static final String CLASS_PROPERTY = "java.util.logging.config.class";
    private static final String FILE_PROPERTY = "java.util.logging.config.file";
    private static final String CONFIGURATION = """
            handlers = io.mely.cli.StandardErrorHandler
            .level = WARNING
            """;

    /**
     * Made by the log manager.
     *
     * @throws IOException never: the configuration is a constant
     */
    public LogSetup() throws IOException {
        LogManager.getLogManager()
                .readConfiguration(new ByteArrayInputStream(CONFIGURATION.getBytes(StandardCharsets.ISO_8859_1)));
    }

    /** Names this class to the log manager, unless the user named another or a file. */
    static void install() {
        if (System.getProperty(CLASS_PROPERTY) == null && System.getProperty(FILE_PROPERTY) == null) {
            System.setProperty(CLASS_PROPERTY, LogSetup.class.getName());
        }
    }
}
