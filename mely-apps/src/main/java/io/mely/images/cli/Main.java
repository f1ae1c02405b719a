// SPDX-License-Identifier: Apache-2.0
package io.mely.images.cli;

import io.mely.cli.Command;

/** Starts the image server from the command line. */
public final class Main {
    private Main() {}

    /**
     * Runs the program and ends the JVM with its exit code.
     *
     * @param args see {@code --help}
     */
    public static void main(String[] args) {
        System.setProperty("java.awt.headless", "true"); // no display is needed, and none is looked for
        Command.runAndExit(new ImagesProgram(), code -> code, args);
    }
}
