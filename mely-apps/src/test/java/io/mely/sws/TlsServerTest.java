// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.mely.sws.RawClient.Response;
import io.mely.sws.tls.CertificateFiles;
import io.mely.sws.tls.TlsEngine;
import io.mely.sws.tls.TlsException;
import io.mely.sws.tls.TlsSettings;
import io.mely.sws.tls.TlsSettings.ClientCertificates;
import io.mely.sws.tls.TlsSettings.TlsVersion;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.AlgorithmConstraints;
import java.security.AlgorithmParameters;
import java.security.CryptoPrimitive;
import java.security.Key;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What TLS itself promises, with each engine: who is let in, what bad clients get, and that nothing is left of them. {@link TlsSwsServerTest} has the rest. */
@ParameterizedClass
@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
class TlsServerTest extends SwsServerHarness {
    private static final int ALERT = 21;
    private static final String GET = "GET /a.html HTTP/1.1\r\nHost: test\r\n\r\n";

    private final TlsEngine engine;

    TlsServerTest(TlsEngine engine) {
        assumeThat(engine.isAvailable()).isTrue();
        this.engine = engine;
    }

    @Override
    SwsConfig.Transport transport() {
        return SwsConfig.Transport.AUTO;
    }

    @Override
    RawClient dial(int receiveBytes) throws IOException {
        return new RawClient(server.localAddress(), receiveBytes, TlsFiles.clients());
    }

    private void startTls(UnaryOperator<SwsConfig.Builder> change) throws IOException {
        start(builder -> change.apply(
                builder.set(TlsSettings.CERTIFICATES, TlsFiles.certificates()).set(TlsSettings.ENGINE, engine)));
    }

    private void startTls() throws IOException {
        startTls(tls -> tls);
    }

    private static SwsConfig.Builder with(SwsConfig.Builder tls, CertificateFiles... certificates) {
        return tls.set(TlsSettings.CERTIFICATES, List.of(certificates));
    }

    private RawClient plain() throws IOException {
        RawClient client = new RawClient(server.localAddress());
        clients.add(client);
        return client;
    }

    /** A socket whose handshake is not done yet. */
    private SSLSocket socket(SSLContext context, String... protocols) throws IOException {
        SSLSocket socket = (SSLSocket) context.getSocketFactory()
                .createSocket("127.0.0.1", server.localAddress().getPort());
        socket.setSoTimeout(RawClient.TIMEOUT_MS);
        if (protocols.length > 0) {
            socket.setEnabledProtocols(protocols);
        }
        clients.add(socket);
        return socket;
    }

    private static String get(SSLSocket socket) throws IOException {
        socket.getOutputStream().write(GET.getBytes(StandardCharsets.US_ASCII));
        StringBuilder text = new StringBuilder();
        InputStream in = socket.getInputStream();
        while (text.indexOf("\r\n\r\nhello") < 0) {
            int b = in.read();
            if (b < 0) {
                throw new IOException("ended in: " + text);
            }
            text.append((char) b);
        }
        return text.toString();
    }

    private static X509Certificate certificate(SSLSocket socket) throws IOException {
        return (X509Certificate) socket.getSession().getPeerCertificates()[0];
    }

    // Versions, names and protocols.

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void handshake_speaksVersion_andHttp11(String version) throws Exception {
        startTls();
        SSLSocket socket = socket(TlsFiles.clientContext(), version);
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setApplicationProtocols(new String[] {"spdy/3", "http/1.1"});
        socket.setSSLParameters(parameters);
        assertThat(get(socket)).startsWith("HTTP/1.1 200");
        assertThat(socket.getSession().getProtocol()).isEqualTo(version);
        assertThat(socket.getApplicationProtocol()).isEqualTo("http/1.1");
        assertThat(server.requestStats().handshakes()).isEqualTo(1);
    }

    /** A client that offers this group of key exchange and no other. */
    private record OnlyGroup(String group) implements AlgorithmConstraints {
        private static final Set<String> GROUPS =
                Set.of("x25519", "secp256r1", "secp384r1", "secp521r1", "x448", "ffdhe2048", "ffdhe8192");

        @Override
        public boolean permits(Set<CryptoPrimitive> primitives, String algorithm, AlgorithmParameters parameters) {
            boolean isOther = algorithm.startsWith("ffdhe") || GROUPS.contains(algorithm);
            return !primitives.equals(Set.of(CryptoPrimitive.KEY_AGREEMENT)) || algorithm.equals(group) || !isOther;
        }

        @Override
        public boolean permits(Set<CryptoPrimitive> primitives, Key key) {
            return true;
        }

        @Override
        public boolean permits(
                Set<CryptoPrimitive> primitives, String algorithm, Key key, AlgorithmParameters parameters) {
            return true;
        }
    }

    // The ones that cost a server much are agreed on with nobody, also if a client offers nothing else.
    @Test
    void handshake_groups_areTheCheapOnes() throws Exception {
        startTls(tls -> with(tls, TlsFiles.certificate("rsa"))); // for one of a curve the client must know the curve
        for (String group : List.of("x25519", "secp256r1", "secp384r1", "x448", "ffdhe2048", "ffdhe8192")) {
            SSLSocket socket = socket(TlsFiles.clientContext(), "TLSv1.3");
            SSLParameters parameters = socket.getSSLParameters();
            parameters.setAlgorithmConstraints(new OnlyGroup(group));
            socket.setSSLParameters(parameters);
            if (group.startsWith("secp") || group.equals("x25519")) {
                assertThat(get(socket)).as(group).startsWith("HTTP/1.1 200");
            } else {
                assertThatThrownBy(socket::startHandshake).as(group).isInstanceOf(SSLException.class);
            }
        }
        assertThat(server.requestStats().handshakes()).isEqualTo(3);
    }

    @Test
    void handshake_oldestVersion_isKept() throws Exception {
        startTls(tls -> tls.set(TlsSettings.OLDEST, TlsVersion.V1_3));
        assertThat(get(socket(TlsFiles.clientContext(), "TLSv1.3"))).startsWith("HTTP/1.1 200");
        SSLSocket old = socket(TlsFiles.clientContext(), "TLSv1.2");
        assertThatThrownBy(old::startHandshake).isInstanceOf(SSLException.class);
        await(() -> server.requestStats().handshakesFailed() == 1);
    }

    @ParameterizedTest
    @CsvSource({
        "localhost,localhost",
        "other.test,other.test",
        "a.wild.test,other.test",
        "a.b.wild.test,localhost",
        "no.test,localhost"
    })
    void handshake_choosesCertificateByName(String name, String expected) throws Exception {
        startTls(tls -> with(tls, TlsFiles.certificate("ec"), TlsFiles.certificate("other")));
        SSLSocket socket = socket(TlsFiles.clientContext());
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setServerNames(List.of(new SNIHostName(name)));
        socket.setSSLParameters(parameters);
        assertThat(get(socket)).startsWith("HTTP/1.1 200");
        assertThat(certificate(socket).getSubjectX500Principal().getName()).isEqualTo("CN=" + expected);
    }

    @ParameterizedTest
    @CsvSource({
        "ec.pem,ec-sec1-key.pem",
        "ec.pem,ec-encrypted-key.pem",
        "rsa.pem,rsa-pkcs1-key.pem",
        "rsa.pem,rsa-key.pem",
        "ec.p12,ec.p12",
        "expired.pem,expired-key.pem"
    })
    void certificate_isReadInEachForm(String chain, String key) throws Exception {
        Path password = Files.writeString(temp.resolve("password"), "secret\n");
        startTls(tls -> with(tls, new CertificateFiles(TlsFiles.file(chain), TlsFiles.file(key), null))
                .set(TlsSettings.PASSWORD_FILE, password.toString()));
        assertThat(get(socket(TlsFiles.clientContext()))).startsWith("HTTP/1.1 200");
    }

    @Test
    void ocspResponse_isStapled() throws Exception {
        CertificateFiles files = new CertificateFiles(
                TlsFiles.file("signed-chain.pem"), TlsFiles.file("signed-key.pem"), TlsFiles.file("signed-ocsp.der"));
        if (engine == TlsEngine.JDK) {
            assertThatThrownBy(() -> startTls(tls -> with(tls, files)))
                    .isInstanceOf(TlsException.class)
                    .hasMessageContaining("tls-engine = boringssl");
            return;
        }
        startTls(tls -> with(tls, files));
        SSLSocket socket = socket(TlsFiles.clientContext());
        socket.startHandshake();
        assertThat(((ExtendedSSLSession) socket.getSession()).getStatusResponses())
                .containsExactly(Files.readAllBytes(TlsFiles.file("signed-ocsp.der")));
    }

    @Test
    void clientCertificate_isRequired() throws Exception {
        startTls(tls -> tls.set(TlsSettings.CLIENT_AUTH, ClientCertificates.REQUIRED)
                .set(TlsSettings.CLIENT_AUTHORITIES, TlsFiles.file("ca.pem").toString()));
        SSLSocket stranger = socket(TlsFiles.clientContext(), "TLSv1.2");
        assertThatThrownBy(() -> get(stranger)).isInstanceOf(IOException.class);
        SSLSocket stranger13 = socket(TlsFiles.clientContext(), "TLSv1.3");
        assertThatThrownBy(() -> get(stranger13)).isInstanceOf(IOException.class);
        for (String version : List.of("TLSv1.2", "TLSv1.3")) {
            assertThat(get(socket(TlsFiles.clientContext(clientKeys()), version)))
                    .startsWith("HTTP/1.1 200");
        }
        await(() -> server.requestStats().handshakesFailed() == 2);
    }

    private static KeyManager[] clientKeys() throws Exception {
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(TlsFiles.file("client.p12"))) {
            store.load(in, "secret".toCharArray());
        }
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, "secret".toCharArray());
        return keys.getKeyManagers();
    }

    // Sessions.

    /** What the client has noted in its session: sessions that are resumed have the notes of the first. */
    private Object visit(SSLContext context, String version) throws IOException {
        try (SSLSocket socket = socket(context, version)) {
            get(socket);
            Object note = socket.getSession().getValue("note");
            if (note == null) {
                note = new Object();
                socket.getSession().putValue("note", note);
            }
            return note;
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void session_isResumed_afterReload_andChangesOfKeys(String version) throws Exception {
        startTls();
        SSLContext context = TlsFiles.clientContext();
        Object first = visit(context, version);
        assertThat(visit(context, version)).isSameAs(first);
        assertThat(visit(TlsFiles.clientContext(), version)).isNotSameAs(first);
        if (engine == TlsEngine.BORINGSSL) {
            server.rotateTickets();
            server.reload();
            assertThat(visit(context, version)).isSameAs(first);
            SSLContext away = TlsFiles.clientContext();
            Object before = visit(away, version);
            for (int i = 0; i < 3; i++) {
                server.rotateTickets();
            }
            assertThat(visit(away, version)).isNotSameAs(before);
        }
    }

    // An authority may be gone, and a session that is resumed shows no certificate.
    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void sessionOfAClientWithACertificate_isNotResumed_afterReload(String version) throws Exception {
        assumeThat(engine).isEqualTo(TlsEngine.BORINGSSL);
        startTls(tls -> tls.set(TlsSettings.CLIENT_AUTH, ClientCertificates.REQUIRED)
                .set(TlsSettings.CLIENT_AUTHORITIES, TlsFiles.file("ca.pem").toString()));
        SSLContext context = TlsFiles.clientContext(clientKeys());
        Object first = visit(context, version);
        assertThat(visit(context, version)).isSameAs(first);
        server.reload();
        assertThat(visit(context, version)).isNotSameAs(first);
    }

    @Test
    void session_isResumedByAnotherServer_withTheSameKeys() throws Exception {
        assumeThat(engine).isEqualTo(TlsEngine.BORINGSSL);
        Path key = Files.write(temp.resolve("ticket.key"), LARGE_CONTENT_48);
        UnaryOperator<SwsConfig.Builder> tickets = tls ->
                tls.set(TlsSettings.TICKET_LIFETIME, Duration.ofHours(1)).set(TlsSettings.TICKET_KEYS, List.of(key));
        // Clients know a session by its port: while one is bound to it without listening, nobody else gets it.
        try (Socket port = new Socket()) {
            port.setReuseAddress(true);
            port.bind(new InetSocketAddress("127.0.0.1", 0));
            InetSocketAddress address = (InetSocketAddress) port.getLocalSocketAddress();
            startTls(tls -> tickets.apply(tls.bind(address)));
            SSLContext context = TlsFiles.clientContext();
            Object first = visit(context, "TLSv1.3");
            closeClients();
            server.close();
            startTls(tls -> tickets.apply(tls.bind(address)));
            assertThat(visit(context, "TLSv1.3")).isSameAs(first);
        }
    }

    private static final byte[] LARGE_CONTENT_48 = Arrays.copyOf(LARGE_CONTENT, 48);

    // JDK 17 on: in TLS 1.3 a second handshake is an update of keys, which the server has to follow.
    @Test
    void keyUpdate_isFollowed() throws Exception {
        startTls();
        SSLSocket socket = socket(TlsFiles.clientContext(), "TLSv1.3");
        assertThat(get(socket)).startsWith("HTTP/1.1 200");
        socket.startHandshake();
        assertThat(get(socket)).startsWith("HTTP/1.1 200");
        assertThat(get(socket)).startsWith("HTTP/1.1 200");
    }

    @Test
    void renegotiation_isRefused() throws Exception {
        startTls();
        SSLSocket socket = socket(TlsFiles.clientContext(), "TLSv1.2");
        assertThat(get(socket)).startsWith("HTTP/1.1 200");
        assertThatThrownBy(() -> {
                    socket.startHandshake();
                    get(socket);
                })
                .isInstanceOf(IOException.class);
        assertThat(server.requestStats().handshakes()).isEqualTo(1);
    }

    // Clients that misbehave.

    @Test
    void plainHttp_isAnswered400() throws Exception {
        startTls();
        Response response = plain().get("/a.html").response();
        assertThat(response.status()).isEqualTo(400);
        assertThat(response.text()).contains("HTTPS");
        assertThat(response.field("connection")).isEqualTo("close");
        assertThat(server.requestStats().handshakes()).isZero();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "000000000000", // no record
                "8080010300010000", // SSL 2
                "160301ffff01", // longer than any record
                "1603010000", // empty
                "160301000501000001ff", // a message that is cut
                "1703030001aa", // data before the handshake
                "15030100020228", // an alert
                "140301000101" // a change of ciphers
            })
    void garbage_isEnded_andOthersServed(String hex) throws Exception {
        startTls();
        RawClient client = plain();
        byte[] bytes = new java.math.BigInteger(hex, 16).toByteArray();
        byte[] exact = new byte[hex.length() / 2];
        int length = Math.min(bytes.length, exact.length);
        System.arraycopy(bytes, bytes.length - length, exact, exact.length - length, length);
        client.send(exact, 0, exact.length);
        client.shutdownOutput();
        client.timeoutMs(RawClient.TIMEOUT_MS);
        await(() -> server.requestStats().open() == 0);
        assertThat(server.requestStats().handshakes()).isZero();
        assertThat(connect().fetch("/a.html").text()).isEqualTo("hello");
    }

    // SSL 3, TLS 1.0 and 1.1: an alert that says why, and the end.
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void oldVersion_isRefusedByAlert(int minor) throws Exception {
        startTls();
        byte[] hello = new byte[9 + 2 + 32 + 1 + 2 + 4 + 2];
        hello[0] = 22;
        hello[1] = 3;
        hello[2] = (byte) Math.min(minor, 1);
        hello[4] = (byte) (hello.length - 5);
        hello[5] = 1;
        hello[8] = (byte) (hello.length - 9);
        hello[9] = 3;
        hello[10] = (byte) minor;
        int at = 9 + 2 + 32;
        byte[] rest = {0, 0, 4, (byte) 0xc0, 0x13, (byte) 0xc0, 0x14, 1, 0};
        System.arraycopy(rest, 0, hello, at, rest.length);
        RawClient client = plain();
        client.send(hello, 0, hello.length);
        assertThat(client.in().read()).isEqualTo(ALERT);
        assertThat(client.in().readNBytes(6)).hasSize(6);
        assertThat(client.in().read()).isEqualTo(-1);
        assertThat(server.requestStats().handshakesFailed()).isEqualTo(1);
    }

    // After each flight, and in the middle of it, a client leaves: by an end, or by a reset.
    @ParameterizedTest
    @CsvSource({"TLSv1.2,false", "TLSv1.2,true", "TLSv1.3,false", "TLSv1.3,true"})
    void leaving_inEachFlight_leavesNothing(String version, boolean isReset) throws Exception {
        startTls();
        for (int flights = 0; flights <= 2; flights++) {
            for (double part : new double[] {0, 0.5, 1}) {
                try (TlsClient client = new TlsClient(server.localAddress(), version)) {
                    stopIn(client, flights, part);
                    if (isReset) {
                        client.reset();
                    }
                }
            }
        }
        await(() -> server.requestStats().open() == 0 && server.requestStats().accepted() == 9);
        assertThat(connect().fetch("/a.html").text()).isEqualTo("hello");
    }

    private static void stopIn(TlsClient client, int flights, double part) throws IOException {
        for (int i = 0; i < flights && !client.isDone(); i++) {
            client.send(client.flight());
            client.hear();
        }
        if (!client.isDone()) {
            byte[] next = client.flight();
            client.send(next, 0, (int) (next.length * part));
        }
    }

    // Who stops in the middle is not waited for longer than for the head of a request.
    @ParameterizedTest
    @CsvSource({"TLSv1.2,0,0", "TLSv1.2,0,0.5", "TLSv1.2,1,0.5", "TLSv1.3,0,0", "TLSv1.3,0,0.5", "TLSv1.3,1,0.5"})
    void stopping_inAFlight_timesOut(String version, int flights, double part) throws Exception {
        startTls();
        TlsClient client = new TlsClient(server.localAddress(), version);
        clients.add(client);
        stopIn(client, flights, part);
        advanceUntil(HEADER_TIMEOUT, () -> server.requestStats().timeouts() == 1);
        assertThat(client.isEnded()).isTrue();
    }

    @Test
    void records_comeInPieces() throws Exception {
        startTls();
        TlsClient client = new TlsClient(server.localAddress(), "TLSv1.3");
        clients.add(client);
        while (!client.isDone()) {
            byte[] flight = client.flight();
            for (int i = 0; i < flight.length; i++) {
                client.send(flight, i, i + 1);
            }
            client.hear();
        }
        byte[] request = client.sealed((GET + GET).getBytes(StandardCharsets.US_ASCII));
        for (int i = 0; i < request.length; i++) {
            client.send(request, i, i + 1);
        }
        await(() -> server.requestStats().responses2xx() == 2);
    }

    // More in one record than a request has room for, and many records at once.
    @Test
    void largeRecords_areReadInParts() throws Exception {
        start(builder -> builder.set(TlsSettings.CERTIFICATES, TlsFiles.certificates())
                .set(TlsSettings.ENGINE, engine)
                .set(SwsSettings.BODY_MAX, 1 << 20));
        RawClient client = connect();
        byte[] body = new byte[200_000];
        client.send("POST /a.html HTTP/1.1\r\nHost: test\r\nContent-Length: " + body.length + "\r\n\r\n");
        client.send(body, 0, body.length);
        assertThat(client.response().status()).isEqualTo(405);
        StringBuilder pipelined = new StringBuilder();
        for (int i = 0; i < 2_000; i++) {
            pipelined.append(GET);
        }
        Thread sender = new Thread(() -> {
            try {
                client.send(pipelined.toString());
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
        sender.start();
        for (int i = 0; i < 2_000; i++) {
            assertThat(client.response().text()).isEqualTo("hello");
        }
        sender.join();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void brokenRecord_afterRequests_endsTheConnection(int kind) throws Exception {
        startTls();
        TlsClient client = new TlsClient(server.localAddress(), "TLSv1.3").handshake();
        clients.add(client);
        byte[] record = client.sealed(GET.getBytes(StandardCharsets.US_ASCII));
        switch (kind) {
            case 0 -> record[record.length - 1] ^= 1; // its tag is wrong
            case 1 -> record[3] = (byte) 0xff; // longer than any record
            default -> record[0] = 99; // no such type
        }
        client.send(record);
        assertThat(client.isEnded()).isTrue();
        assertThat(server.requestStats().responses()).isZero();
    }

    // Native memory.

    // Idle connections have their engine and nothing else of this server's.
    @Test
    void idle_holdsNoBuffers() throws Exception {
        start(builder -> builder.set(TlsSettings.CERTIFICATES, TlsFiles.certificates())
                .set(TlsSettings.ENGINE, engine)
                .set(SwsSettings.CORES, 1)); // whose pools are the same at each look
        assertThat(connect().fetch("/a.html").text()).isEqualTo("hello");
        assertThat(connect().fetch("/large.bin").body()).hasSize(LARGE);
        List<RawClient> idle = new ArrayList<>();
        long[] bytes = new long[2];
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < 50; i++) {
                RawClient client = connect();
                assertThat(client.fetch("/a.html").text()).isEqualTo("hello");
                await(() -> server.requestStats().exchanges() == 0); // given back, so that the next one takes the same
                idle.add(client);
            }
            bytes[round] = server.memoryBytes();
        }
        assertThat(bytes[1]).isEqualTo(bytes[0]);
    }

    // Half a record each: when there is no memory for one more, its connection ends, and who comes later is served.
    @Test
    void halfRecords_beyondMemory_areRefused() throws Exception {
        SwsConfig config = SwsConfig.builder(root)
                .set(TlsSettings.CERTIFICATES, TlsFiles.certificates())
                .set(TlsSettings.ENGINE, engine)
                .set(SwsSettings.CORES, 2)
                .build();
        long bytes = MemoryBudget.limitBytesMin(2) + 2L * TlsBuffers.BYTES;
        assertThat(MemoryBudget.of(config, 2, bytes)).isNotNull();
        start(
                builder -> builder.set(TlsSettings.CERTIFICATES, TlsFiles.certificates())
                        .set(TlsSettings.ENGINE, engine)
                        .set(SwsSettings.CACHE_BUDGET, 0),
                bytes);
        byte[] half = new byte[12_000];
        List<TlsClient> open = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            TlsClient client = new TlsClient(server.localAddress(), "TLSv1.3").handshake();
            clients.add(client);
            open.add(client);
            byte[] record = client.sealed(half);
            client.send(record, 0, record.length - 1);
        }
        await(() -> server.requestStats().lost() > 0);
        for (TlsClient each : open) {
            each.close();
        }
        await(() -> server.requestStats().open() == 0);
        assertThat(connect().fetch("/a.html").text()).isEqualTo("hello");
    }

    // As of an upload that is killed. Long before any time-out; the end may be reported with the last bytes, once.
    @Test
    void clientThatLeaves_inTheMiddleOfARecord_isGone() throws Exception {
        startTls();
        byte[] head = ("POST /a.html HTTP/1.1\r\n" + HOST + "Content-Length: 100000\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII);
        List<TlsClient> all = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            TlsClient client = new TlsClient(server.localAddress(), "TLSv1.3").handshake();
            clients.add(client);
            all.add(client);
            client.send(client.sealed(head));
            byte[] record = client.sealed(new byte[1_000]);
            client.send(record, 0, record.length / 2);
            client.end();
        }
        await(() -> server.requestStats().open() == 0);
        assertThat(server.requestStats().timeouts()).isZero();
    }

    // Whether it comes from the kernel's memory or from the disk.
    @Test
    void largeFile_thatIsNotInMemory_isWhole() throws Exception {
        startTls();
        Path file = root.resolve("large.bin");
        Process evict = new ProcessBuilder("dd", "of=" + file, "oflag=nocache", "conv=notrunc,fdatasync", "count=0")
                .redirectErrorStream(true)
                .start();
        evict.getInputStream().readAllBytes();
        evict.waitFor();
        assertThat(connect().fetch("/large.bin").body()).isEqualTo(LARGE_CONTENT);
    }

    @Test
    void largeFile_truncatedMeanwhile_endsTheConnection() throws Exception {
        Path file = ownLargeFile();
        startTls();
        RawClient client = connect(1 << 12);
        client.get("/large.bin").readHead();
        Files.write(file, new byte[10]);
        assertThatThrownBy(client::readRest).isInstanceOf(IOException.class);
    }

    // Stop.

    @Test
    void close_endsHandshakesThatHaveNotBegun_andWaitsForOthers() throws Exception {
        startTls();
        TlsClient unused = new TlsClient(server.localAddress(), "TLSv1.3");
        clients.add(unused);
        TlsClient begun = new TlsClient(server.localAddress(), "TLSv1.3");
        clients.add(begun);
        begun.send(begun.flight());
        begun.hear();
        await(() -> server.requestStats().open() == 2);
        Thread closer = new Thread(() -> server.close(PATIENCE));
        closer.start();
        assertThat(unused.isEnded()).isTrue();
        begun.handshake();
        assertThat(begun.isEnded()).isTrue();
        closer.join();
        assertThat(server.requestStats().handshakes()).isEqualTo(1);
        assertThat(server.requestStats().open()).isZero();
    }

    // Redirect and HSTS.

    @Test
    void redirector_sendsToHttps_withoutHsts() throws Exception {
        startTls(tls ->
                tls.redirectBind(new InetSocketAddress("127.0.0.1", 0)).set(TlsSettings.HSTS, "max-age=31536000"));
        RawClient client = new RawClient(server.redirectAddress());
        clients.add(client);
        int port = server.localAddress().getPort();
        for (String host : List.of("example.test", "example.test:80", "[::1]:80")) {
            Response moved = client.send("GET /a%20b?q=1 HTTP/1.1\r\nHost: " + host + "\r\n\r\n")
                    .response();
            assertThat(moved.status()).isEqualTo(301);
            assertThat(moved.field("location"))
                    .isEqualTo("https://" + host.replace(":80", "") + ":" + port + "/a%20b?q=1");
            assertThat(moved.fields()).doesNotContainKey("strict-transport-security");
        }
        Response bad = client.send("GET / HTTP/1.0\r\n\r\n").response();
        assertThat(bad.status()).isEqualTo(400);
        assertThat(bad.fields()).doesNotContainKey("strict-transport-security");
        RawClient secure = connect();
        for (String target : List.of("/a.html", "/missing", "/dir", "/large.bin")) {
            assertThat(secure.fetch(target).field("strict-transport-security")).isEqualTo("max-age=31536000");
        }
        assertThat(secure.send("OPTIONS * HTTP/1.1\r\nHost: test\r\n\r\n")
                        .response()
                        .field("strict-transport-security"))
                .isEqualTo("max-age=31536000");
    }

    @Test
    void redirector_longTarget_isRedirectedWhole() throws Exception {
        startTls(tls -> tls.redirectBind(new InetSocketAddress("127.0.0.1", 0)));
        RawClient client = new RawClient(server.redirectAddress());
        clients.add(client);
        String target = "/" + "a".repeat(8_000);
        StringBuilder requests = new StringBuilder();
        for (int i = 0; i < 5; i++) {
            requests.append("GET ").append(target).append(" HTTP/1.1\r\nHost: test\r\n\r\n");
        }
        client.send(requests.toString());
        for (int i = 0; i < 5; i++) {
            assertThat(client.response().field("location")).endsWith(target);
        }
    }

    // Certificates that change.

    private void install(String name) throws IOException {
        Files.copy(TlsFiles.file(name + ".pem"), temp.resolve("site.pem"), StandardCopyOption.REPLACE_EXISTING);
        Files.copy(TlsFiles.file(name + "-key.pem"), temp.resolve("site-key.pem"), StandardCopyOption.REPLACE_EXISTING);
    }

    @Test
    void reload_underLoad_failsNoRequest() throws Exception {
        install("ec");
        startTls(tls -> with(tls, new CertificateFiles(temp.resolve("site.pem"), temp.resolve("site-key.pem"), null)));
        RawClient kept = connect();
        assertThat(kept.fetch("/a.html").text()).isEqualTo("hello");
        AtomicBoolean isOver = new AtomicBoolean();
        AtomicInteger answers = new AtomicInteger();
        ConcurrentLinkedQueue<String> broken = new ConcurrentLinkedQueue<>();
        List<Thread> load = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            load.add(new Thread(() -> {
                while (!isOver.get()) {
                    try (RawClient client = dial()) {
                        for (int k = 0; k < 3; k++) {
                            assertThat(client.fetch("/a.html").text()).isEqualTo("hello");
                            answers.incrementAndGet();
                        }
                    } catch (IOException | AssertionError e) {
                        broken.add(e.toString());
                    }
                }
            }));
        }
        load.forEach(Thread::start);
        for (int i = 0; i < 20; i++) {
            install(i % 2 == 0 ? "other" : "ec");
            server.reload();
            Files.writeString(temp.resolve("site.pem"), "nonsense");
            assertThatThrownBy(server::reload)
                    .isInstanceOf(TlsException.class)
                    .hasMessageContaining("site.pem: no certificate in PEM");
            int before = answers.get();
            await(() -> answers.get() > before + 3 || !broken.isEmpty());
        }
        install("rsa");
        server.reload();
        isOver.set(true);
        for (Thread each : load) {
            each.join();
        }
        assertThat(broken).isEmpty();
        assertThat(kept.fetch("/a.html").text()).isEqualTo("hello");
        SSLSocket fresh = socket(TlsFiles.clientContext());
        assertThat(get(fresh)).startsWith("HTTP/1.1 200");
        assertThat(certificate(fresh).getPublicKey().getAlgorithm()).isEqualTo("RSA");
    }

    @Test
    void start_badCertificate_isRefused_andLeavesNothing() throws Exception {
        Path none = temp.resolve("none.pem");
        assertThatThrownBy(() -> startTls(tls -> with(tls, new CertificateFiles(none, none, null))))
                .isInstanceOf(TlsException.class)
                .hasMessage(none + ": there is no such file");
    }
}
