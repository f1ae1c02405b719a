// SPDX-License-Identifier: Apache-2.0
package io.mely.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Locale;

/**
 * Says in one line why a server did not start.
 *
 * <p>The two transports and the JDK tell the reason of a failed bind in the message alone, so it is known by its words.
 */
final class StartFailure {
    private StartFailure() {}

    /**
     * Explains a failure that is the machine's, not a bug of ours.
     *
     * @param failure thrown by the start
     * @param program that was started
     * @param values what was asked for
     * @return the explanation
     */
    static StartException explain(IOException failure, Program program, Values values) {
        String address = address(program, values);
        String message = messageOf(failure);
        String words = message.toLowerCase(Locale.ROOT);
        if (words.contains("already in use") || words.contains("address in use")) {
            return new StartException("cannot listen on " + address + ": the port is in use ("
                    + values.describe(program.usage().port()) + ")");
        }
        if (words.contains("not an address of this machine")
                || words.contains("cannot assign")
                || words.contains("can't assign")) {
            return new StartException("cannot listen on " + address + ": not an address of this machine ("
                    + values.describe(CommonSettings.BIND) + ")");
        }
        if (words.contains("permission denied") || words.contains("no permission")) {
            return new StartException("cannot listen on " + address + ": permission denied ("
                    + values.describe(program.usage().port()) + ")");
        }
        return new StartException("cannot start: " + Text.escape(message));
    }

    /**
     * Tells a failure of the machine from a bug.
     *
     * @param failure thrown by the start
     * @return its I/O failure
     * @throws RuntimeException the failure itself, when it is a bug
     */
    static IOException unwrap(RuntimeException failure) {
        if (failure instanceof UncheckedIOException io && io.getCause() != null) {
            return io.getCause();
        }
        if (failure instanceof UnsupportedOperationException || failure instanceof IllegalStateException) {
            return new IOException(messageOf(failure), failure);
        }
        throw failure;
    }

    private static String address(Program program, Values values) {
        String host = values.get(CommonSettings.BIND);
        int port = values.get(program.usage().port());
        try {
            return Addresses.authority(new InetSocketAddress(Addresses.lookUp(host), port));
        } catch (UnknownHostException e) {
            return Text.escape(host) + ":" + port;
        }
    }

    private static String messageOf(Throwable failure) {
        String message = failure.getMessage();
        return message == null || message.isBlank() ? failure.getClass().getSimpleName() : message;
    }
}
