// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.system;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Many closed-loop clients on one thread: each sends a request, reads and checks the whole response, sends the next.
 *
 * <p>All connect first; then all start, so that their counts can be compared. When the wanted number of responses has come, no
 * client starts another request, the counts are taken, and what is under way is read to its end.
 *
 * <p><b>Bounds.</b> Ends after the wanted responses or the shared timeout times four, whichever is first.
 */
final class LoadClient implements AutoCloseable {
    private static final int READ_BYTES = 1 << 16;

    private final Selector selector;
    private final InetSocketAddress address;
    private final List<HttpExchange.Target> targets;
    private final int requestsPerConnection;
    private final boolean mayEnd;
    private final ByteBuffer input = ByteBuffer.allocateDirect(READ_BYTES);
    private final List<Client> clients = new ArrayList<>();
    private final List<String> errors = new ArrayList<>();
    private long responses;
    private long wanted;
    private int connected;
    private int busy;
    private int ended;
    private boolean isStarted;

    /**
     * What came of it.
     *
     * @param responses whole and correct ones
     * @param counts responses per client at the moment the wanted number was reached
     * @param ended clients that the server has sent away between two responses
     * @param errors wrong, cut or refused responses
     */
    record Result(long responses, int[] counts, int ended, List<String> errors) {
        /** The lowest count. */
        int min() {
            return Arrays.stream(counts).min().orElse(0);
        }

        /** The middle count. */
        int median() {
            int[] sorted = counts.clone();
            Arrays.sort(sorted);
            return sorted[counts.length / 2];
        }
    }

    /**
     * Prepares clients.
     *
     * @param address of the server
     * @param targets what they ask for, in turn
     * @param connections how many clients
     * @param requestsPerConnection after which a client connects anew; 0: never
     * @param mayEnd whether the server may end connections between responses, as a server that stops does
     */
    LoadClient(
            InetSocketAddress address,
            List<HttpExchange.Target> targets,
            int connections,
            int requestsPerConnection,
            boolean mayEnd)
            throws IOException {
        this.selector = Selector.open();
        this.address = address;
        this.targets = targets;
        this.requestsPerConnection = requestsPerConnection;
        this.mayEnd = mayEnd;
        for (int i = 0; i < connections; i++) {
            clients.add(new Client(i));
        }
    }

    /** Connects all clients. */
    LoadClient connect() throws IOException {
        for (Client client : clients) {
            client.connect();
            // Not more at a time than a listen queue holds.
            turnUntil(() -> connected + ended + 500 >= client.index, "connecting");
        }
        turnUntil(() -> connected + ended == clients.size(), "connecting");
        return this;
    }

    /**
     * Runs until a number of responses.
     *
     * @param total responses wanted, those of earlier calls included
     */
    LoadClient run(long total) throws IOException {
        wanted = total;
        isStarted = true;
        for (Client client : clients) {
            client.next();
        }
        turnUntil(() -> responses >= wanted || busy == 0, "responses " + wanted);
        return this;
    }

    /** Lets what is under way end. */
    Result finish() throws IOException {
        int[] counts = clients.stream().mapToInt(client -> client.count).toArray();
        wanted = 0;
        turnUntil(() -> busy == 0, "last responses");
        return new Result(responses, counts, ended, errors);
    }

    /** Responses so far. */
    long responses() {
        return responses;
    }

    @Override
    public void close() throws IOException {
        for (Client client : clients) {
            client.disconnect();
        }
        selector.close();
    }

    private void turnUntil(java.util.function.BooleanSupplier condition, String what) throws IOException {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            selector.select(10);
            for (SelectionKey key : selector.selectedKeys()) {
                ((Client) key.attachment()).ready(key);
            }
            selector.selectedKeys().clear();
            if (System.nanoTime() - start > 4 * Await.TIMEOUT.toNanos()) {
                throw new AssertionError("not in time: " + what + "; responses=" + responses + " connected=" + connected
                        + " busy=" + busy + " ended=" + ended + " errors=" + errors);
            }
        }
    }

    /** One client. */
    private final class Client {
        private final int index;
        private SocketChannel channel;
        private HttpExchange exchange;
        private int count;
        private int sentOnConnection;
        private boolean isConnected;
        private boolean isReconnecting;

        Client(int index) {
            this.index = index;
        }

        void connect() throws IOException {
            sentOnConnection = 0;
            channel = SocketChannel.open();
            channel.configureBlocking(false);
            channel.setOption(java.net.StandardSocketOptions.TCP_NODELAY, true);
            try {
                channel.connect(address);
            } catch (IOException refused) {
                end("connect: " + refused);
                return;
            }
            channel.register(selector, SelectionKey.OP_CONNECT, this);
        }

        void disconnect() throws IOException {
            if (channel != null) {
                channel.close();
            }
        }

        void ready(SelectionKey key) throws IOException {
            try {
                if (key.isValid() && key.isConnectable()) {
                    readyConnected(key);
                }
                if (key.isValid() && key.isWritable() && exchange != null) {
                    write(key);
                }
                if (key.isValid() && key.isReadable()) {
                    read();
                }
            } catch (IOException broken) {
                end(broken.toString());
            }
        }

        private void readyConnected(SelectionKey key) throws IOException {
            channel.finishConnect();
            key.interestOps(SelectionKey.OP_READ);
            if (!isConnected) {
                isConnected = true;
                connected++;
            }
            endReconnecting();
            if (isStarted) {
                next();
            }
        }

        private void endReconnecting() {
            if (isReconnecting) {
                isReconnecting = false;
                busy--;
            }
        }

        /** Sends the next request, if one is wanted and none is under way. */
        void next() throws IOException {
            if (exchange != null || channel == null || !channel.isConnected() || responses >= wanted) {
                return;
            }
            exchange = new HttpExchange(targets.get((index + count * 7) % targets.size()));
            busy++;
            sentOnConnection++;
            try {
                write(channel.keyFor(selector));
            } catch (IOException broken) {
                end(broken.toString());
            }
        }

        private void write(SelectionKey key) throws IOException {
            channel.write(exchange.output());
            key.interestOps(
                    exchange.output().hasRemaining()
                            ? SelectionKey.OP_READ | SelectionKey.OP_WRITE
                            : SelectionKey.OP_READ);
        }

        private void read() throws IOException {
            input.clear();
            int bytes = channel.read(input);
            if (bytes < 0) {
                end("end of stream");
                return;
            }
            input.flip();
            if (exchange == null) {
                fail("bytes without a request");
                return;
            }
            if (exchange.accept(input)) {
                readDone();
            }
        }

        private void readDone() throws IOException {
            HttpExchange done = exchange;
            exchange = null;
            busy--;
            if (done.error() != null) {
                fail(done.error());
                return;
            }
            if (input.hasRemaining()) {
                fail("bytes after the response");
                return;
            }
            count++;
            responses++;
            if (done.isLast()) {
                end("Connection: close");
            } else if (sentOnConnection == requestsPerConnection) {
                disconnect();
                // Counts as under way, so that nobody thinks all is over.
                isReconnecting = true;
                busy++;
                connect();
            } else {
                next();
            }
        }

        /** The server has ended the connection. */
        private void end(String how) throws IOException {
            boolean isCut = exchange != null && exchange.isBegun();
            if (exchange != null) {
                busy--;
            }
            endReconnecting();
            if (isCut) {
                errors.add("client " + index + ": response cut: " + how);
            } else if (!mayEnd) {
                errors.add("client " + index + ": connection ended: " + how);
            }
            exchange = null;
            ended++;
            disconnect();
            channel = null;
        }

        private void fail(String what) throws IOException {
            errors.add("client " + index + ": " + what);
            exchange = null;
            ended++;
            disconnect();
            channel = null;
        }
    }
}
