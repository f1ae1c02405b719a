// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.load;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/**
 * Clients that send what a server had better refuse: whole, up to the half and then a reset, and byte by byte; one after the other, again and again.
 *
 * <p><b>Threads.</b> {@link #run} is one; any number of them. The books when none runs.
 */
final class AbusiveClients implements Runnable {
    /**
     * What is sent.
     *
     * @param name for the books
     * @param request its bytes
     * @param statuses that are right answers
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Abuse(String name, byte[] request, Set<Integer> statuses) {}

    /** How it is sent. */
    enum Way {
        WHOLE,
        HALF,
        SLOWLY
    }

    /** How it ended; each has one end. */
    enum End {
        /** By a right answer. */
        ANSWERED,
        /** The server had too much to do, and said so. */
        REFUSED,
        /** The server closed or reset the connection. */
        CUT,
        /** The client went away. */
        LEFT,
        /** By an answer, or none, that is a fault of the server. */
        WRONG
    }

    /** An answer of HTTP. */
    record Answer(int status, String text) {
        /** Too much to do, too many requests, or too slow. */
        boolean isRefusal() {
            return status == 503 || status == 429 || status == 408;
        }
    }

    private static final long PAUSE_MS = 20;
    private static final int SLOW_BYTES = 200;
    private static final int SLOW_MAX = 50; // at the same time
    private static final int ANSWER_MS = 120_000;
    private static final int LOOK_MS = 1;
    private static final int WRONG_KEPT = 20;

    private final InetSocketAddress address;
    private final List<Abuse> abuses;
    private final Map<String, EnumMap<End, Integer>> ends = new TreeMap<>(); // under its own lock
    private final Collection<String> wrong = new ConcurrentLinkedQueue<>();
    private volatile boolean isStopped;

    private static final class Slow {
        final Abuse abuse;
        final Socket socket;
        int sent;

        Slow(Abuse abuse, Socket socket) {
            this.abuse = abuse;
            this.socket = socket;
        }
    }

    AbusiveClients(int port, List<Abuse> abuses) {
        address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        this.abuses = abuses;
    }

    void stop() {
        isStopped = true;
    }

    /** May run again after {@link #stop}. */
    void allow() {
        isStopped = false;
    }

    @Override
    public void run() {
        List<Slow> slow = new ArrayList<>();
        while (!isStopped) {
            for (Abuse abuse : abuses) {
                for (Way way : Way.values()) {
                    if (!isStopped && (way != Way.SLOWLY || slow.size() < SLOW_MAX)) {
                        begin(abuse, way, slow);
                    }
                }
                slow.removeIf(this::isOver);
                try {
                    TimeUnit.MILLISECONDS.sleep(PAUSE_MS);
                } catch (InterruptedException e) {
                    isStopped = true;
                }
            }
        }
        for (Iterator<Slow> each = slow.iterator(); each.hasNext(); each.remove()) {
            Slow client = each.next();
            reset(client.socket);
            end(client.abuse, End.LEFT);
        }
    }

    private void begin(Abuse abuse, Way way, List<Slow> slow) {
        Socket socket = new Socket();
        try {
            socket.connect(address, ANSWER_MS);
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(ANSWER_MS);
        } catch (IOException e) {
            reset(socket);
            wrong(abuse, "cannot connect: " + e);
            return;
        }
        try {
            switch (way) {
                case WHOLE -> end(abuse, socket, ask(socket, abuse.request()));
                case HALF -> {
                    socket.getOutputStream().write(Arrays.copyOf(abuse.request(), abuse.request().length / 2));
                    end(abuse, End.LEFT);
                    reset(socket);
                }
                case SLOWLY -> {
                    socket.setSoTimeout(LOOK_MS);
                    slow.add(new Slow(abuse, socket));
                }
            }
        } catch (SocketTimeoutException e) {
            reset(socket);
            wrong(abuse, way + ": no answer");
        } catch (IOException e) {
            reset(socket);
            end(abuse, End.CUT); // a server may reset a connection that sends what it does not read
        }
    }

    private void end(Abuse abuse, Socket socket, Answer answer) {
        reset(socket);
        if (answer.status() == 0) {
            end(abuse, End.CUT);
        } else if (answer.isRefusal()) {
            end(abuse, End.REFUSED);
        } else if (abuse.statuses().contains(answer.status())) {
            end(abuse, End.ANSWERED);
        } else {
            wrong(abuse, answer.toString());
        }
    }

    /** A byte more; true when it has ended. */
    private boolean isOver(Slow client) {
        try {
            OutputStream out = client.socket.getOutputStream();
            out.write(client.abuse.request()[client.sent++]);
            int first = client.socket.getInputStream().read();
            if (first < 0) {
                reset(client.socket);
                end(client.abuse, End.CUT);
                return true;
            }
            client.socket.setSoTimeout(ANSWER_MS);
            Answer answer = answer((char) first + rest(client.socket.getInputStream()));
            boolean isOfItsHalf = answer.status() >= 400 && answer.status() < 500; // no whole request has come
            if (isOfItsHalf) {
                reset(client.socket);
                end(client.abuse, End.ANSWERED);
            } else {
                end(client.abuse, client.socket, answer);
            }
            return true;
        } catch (SocketTimeoutException e) {
            // nothing yet
        } catch (IOException e) {
            reset(client.socket);
            end(client.abuse, End.CUT);
            return true;
        }
        if (client.sent == Math.min(SLOW_BYTES, client.abuse.request().length)) {
            reset(client.socket);
            end(client.abuse, End.LEFT);
            return true;
        }
        return false;
    }

    /** Sends a request, and reads to the end of the connection. */
    static Answer ask(Socket socket, byte[] request) throws IOException {
        socket.getOutputStream().write(request);
        return answer(rest(socket.getInputStream()));
    }

    private static String rest(InputStream in) throws IOException {
        return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
    }

    /** Status 0 of no answer. */
    private static Answer answer(String text) {
        boolean isOne = text.matches("(?s)HTTP/1\\.1 \\d{3} .*");
        return new Answer(isOne ? Integer.parseInt(text.substring(9, 12)) : 0, text);
    }

    private static void reset(Socket socket) {
        try {
            socket.setSoLinger(true, 0);
            socket.close();
        } catch (IOException e) {
            // It is gone all the same.
        }
    }

    // ------------------------------------------------------------------ the books

    private void end(Abuse abuse, End end) {
        synchronized (ends) {
            ends.computeIfAbsent(abuse.name(), name -> new EnumMap<>(End.class)).merge(end, 1, Integer::sum);
        }
    }

    private void wrong(Abuse abuse, String what) {
        end(abuse, End.WRONG);
        if (wrong.size() < WRONG_KEPT) {
            wrong.add(abuse.name() + ": " + what.lines().findFirst().orElse("nothing"));
        }
    }

    /** How often each ended in which way. */
    Map<String, EnumMap<End, Integer>> ends() {
        synchronized (ends) {
            return new TreeMap<>(ends);
        }
    }

    /** The first faults, in words. */
    List<String> wrong() {
        return List.copyOf(wrong);
    }
}
