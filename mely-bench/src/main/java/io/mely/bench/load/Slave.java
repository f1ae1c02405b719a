// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.load;

import java.io.EOFException;
import java.io.IOException;
import java.net.ServerSocket;

/**
 * Runs what a master asks for, one master after the other. It loads whatever the master names: only for networks where everybody may.
 *
 * <p><b>Threads.</b> {@link #run} is one; {@link #close} is for any.
 */
final class Slave implements Runnable, AutoCloseable {
    private final ServerSocket server;

    /**
     * A slave, which does not run yet.
     *
     * @param server where masters come to; closed with the slave
     */
    Slave(ServerSocket server) {
        this.server = server;
    }

    int port() {
        return server.getLocalPort();
    }

    @Override
    public void run() {
        while (!server.isClosed()) {
            try (Wire master = new Wire(server.accept())) {
                serve(master);
            } catch (IOException e) {
                // A master that is gone is no reason to stop, and a closed server ends the loop.
            }
        }
    }

    private static void serve(Wire master) throws IOException {
        while (true) {
            String text;
            try {
                text = master.expect(Wire.RUN);
            } catch (EOFException e) {
                return;
            }
            try {
                Plan plan = Plan.of(Wire.decode(text));
                master.send(Wire.READY, "");
                master.expect(Wire.GO);
                Result result = Injector.run(plan, (responses, errors) -> {
                    try {
                        master.send(Wire.AT, responses + " " + errors);
                    } catch (IOException e) {
                        // The result will not arrive either.
                    }
                });
                master.send(Wire.RESULT, Wire.encode(result.properties()));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            } catch (RuntimeException | IOException e) {
                master.send(Wire.FAILED, String.valueOf(e.getMessage()));
            }
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
