// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stingy.walk;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.Mely;
import io.mely.StageGraph;
import io.mely.deploy.stingy.HoconFile.WrongFileException;
import io.mely.sws.Application;
import io.mely.sws.SwsConfig;
import io.mely.sws.SwsServer;
import io.mely.sws.SwsSettings;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;

// SWS as its classes show it, against SWS as it runs.
class SwsWalkTest {
    private static final String COMMANDS = "execute";
    private static final Set<String> PAPER = Set.of(
            "Accept",
            "ReadRequest",
            "ParseRequest",
            "CheckInCache",
            "WriteResponse",
            "Close",
            "DecClientAccepted",
            "BadRequest",
            "NotFound");

    private static Walk sws;

    @TempDir
    Path root;

    private static Path classes() {
        return Path.of(SwsServer.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .getPath());
    }

    @BeforeAll
    static void analyse() throws IOException, WrongFileException {
        sws = new Walk(List.of(classes()), List.of("io.mely.sws"), null);
    }

    // The paper's tenth is Epoll, which is the loop of each core: a function that is called from outside.
    @Test
    void stages_areThoseOfTheServer() {
        assertThat(sws.stageNames()).containsExactlyInAnyOrderElementsOf(SwsServer.stageNames());
        assertThat(sws.stageNames()).containsAll(PAPER);
        Set<String> polled = new TreeSet<>();
        sws.entries("outside ").forEach(entry -> polled.addAll(sws.next(entry)));
        assertThat(polled).containsExactlyInAnyOrder("Accept", "Handshake", "ReadRequest", "WriteResponse");
    }

    // Compared by hand with the source, 2026-11-29. By HTTP/2 the end of a stream lets others go on.
    @Test
    void edges_areThoseOfTheSource() {
        assertThat(sws.next("Close"))
                .contains("DecClientAccepted", "WriteResponse", "WriteFile")
                .doesNotContain("ParseRequest", "CheckInCache", "LoadFile");
        assertThat(sws.next("DecClientAccepted")).containsExactly("Accept");
        assertThat(sws.next("Timeout"))
                .contains("BadRequest", "Close", "Timeout")
                .doesNotContain("ParseRequest", "CheckInCache");
        assertThat(sws.next("ReadRequest"))
                .contains("ReadRequest", "ParseRequest", "Close", "WriteResponse")
                .doesNotContain("CheckInCache");
        assertThat(sws.next("ParseRequest"))
                .contains("ReadRequest", "CheckInCache", "Apply", "BadRequest", "WriteResponse", "Close");
        assertThat(sws.next("CheckInCache"))
                .contains("ParseRequest", "LoadFile", "NotFound", "BadRequest", "WriteResponse");
        assertThat(sws.next("WriteResponse")).contains("ReadRequest", "ParseRequest", "CheckInCache", "WriteFile");
    }

    @Test
    void buffers_areAllOfTheSource() {
        Set<String> methods = sws.buffers().stream()
                .map(each -> each.substring(0, each.lastIndexOf(':')))
                .collect(Collectors.toSet());
        assertThat(methods)
                .contains(
                        "AccessLog.<init>",
                        "Exchange.hasRoom",
                        "ExchangePool.make",
                        "FileLoader.inMemory",
                        "FileLoader.pack",
                        "FileLoader.read",
                        "PreparedResponse.onHeap",
                        "ReadBuffer.makeOrdinary",
                        "TlsBuffers.<init>",
                        "TlsLink.<clinit>",
                        "TlsLink.keepRest",
                        "TlsLink.send")
                .doesNotContain("NativeMemory.take", "TlsLink.take"); // they pass on what they are asked for
        Buffer exchange = sws.found().values().stream()
                .filter(each -> each.name().startsWith("ExchangePool.make:"))
                .findFirst()
                .orElseThrow();
        assertThat(exchange.sizeBytes()).isEqualTo(16 << 10);
    }

    // By another way: whatever call allocates, itself or by the server's own allocator, is on the path of some site.
    @Test
    void everyAllocatingCall_isOfASite() {
        Set<Site> found = sws.found().values().stream()
                .flatMap(buffer -> buffer.path().stream())
                .collect(Collectors.toSet());
        List<Site> calls = new ArrayList<>();
        for (ClassNode owner : sws.classes().analysed()) {
            for (MethodNode method : owner.methods) {
                for (AbstractInsnNode each : method.instructions) {
                    if (each instanceof MethodInsnNode call && isAllocation(call)) {
                        MethodId id = new MethodId(owner.name, method.name, method.desc);
                        calls.add(found.stream()
                                .filter(site ->
                                        site.method().equals(id) && site.index() == method.instructions.indexOf(call))
                                .findFirst()
                                .orElseThrow(() -> new AssertionError(id + " allocates by " + call.name)));
                    }
                }
            }
        }
        assertThat(calls).hasSizeGreaterThan(10);
    }

    private static boolean isAllocation(MethodInsnNode call) {
        return (call.owner.equals("java/nio/ByteBuffer") && call.name.startsWith("allocate"))
                || (call.owner.endsWith("/NativeMemory") && call.name.equals("take"))
                || (call.owner.endsWith("Allocator") && call.name.matches("(io|heap|direct)?[bB]uffer"));
    }

    // Whatever an event was seen to do, the graph says that it may.
    @Test
    void everyEdgeOfARun_isInTheGraph() throws Exception {
        Files.writeString(root.resolve("small.txt"), "small");
        Files.write(root.resolve("large.bin"), new byte[3 << 20]);
        AtomicReference<Mely> runtime = new AtomicReference<>();
        Application.Factory watcher = mely -> {
            runtime.set(mely);
            return request -> false;
        };
        SwsConfig config = SwsConfig.builder(root)
                .bind(new InetSocketAddress("127.0.0.1", 0))
                .set(SwsSettings.CORES, 2)
                .set(SwsSettings.PINNED, false)
                .build();
        try (SwsServer server = SwsServer.start(config, mely -> mely, watcher)) {
            InetSocketAddress address = server.localAddress();
            assertThat(ask(
                            address,
                            "GET /small.txt HTTP/1.1\r\nHost: a\r\n\r\nGET /none HTTP/1.1\r\nHost: a\r\n\r\n"
                                    + "GET /small.txt HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"))
                    .contains("200 OK", "404 Not Found");
            assertThat(ask(address, "GET /large.bin HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"))
                    .contains("200 OK");
            assertThat(ask(address, "nonsense\r\n\r\n")).contains("400 Bad Request");
            check(runtime.get().graph());
        }
    }

    private static String ask(InetSocketAddress address, String request) throws IOException {
        try (Socket socket = new Socket()) {
            socket.connect(address, 20_000);
            socket.setSoTimeout(20_000);
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
        }
    }

    private static void check(StageGraph graph) {
        int seen = 0;
        for (StageGraph.Edge edge : graph.edges()) {
            if (edge.from() >= 0) {
                String from = graph.nodes().get(edge.from()).name();
                String to = graph.nodes().get(edge.to()).name();
                assertThat(next(from)).as("to whom %s sends", from).contains(to);
                seen++;
            }
        }
        assertThat(seen).isGreaterThan(10);
    }

    /** The runtime has one stage for all functions that are run as events. */
    private static Set<String> next(String stage) {
        Set<String> next = new TreeSet<>();
        if (stage.equals(COMMANDS)) {
            sws.entries(COMMANDS + " ").forEach(entry -> next.addAll(sws.next(entry)));
        } else {
            next.addAll(sws.next(stage));
        }
        if (next.stream().anyMatch(each -> each.startsWith(COMMANDS + " "))) {
            next.add(COMMANDS);
        }
        return next;
    }
}
