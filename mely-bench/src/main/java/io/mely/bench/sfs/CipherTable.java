// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.sfs;

import io.mely.bench.report.Stat;
import io.mely.bench.report.TextTable;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.apache.sshd.common.cipher.BuiltinCiphers;
import org.apache.sshd.common.mac.BuiltinMacs;
import org.jspecify.annotations.Nullable;

/**
 * What ciphers take, by who makes them: packets of the size that SFTP has, encrypted and authenticated in place, one after the other, by one thread, in its CPU time. Nothing that sends bytes by a cipher
 * needs less. OpenSSL is measured by its own program; netty-tcnative, its binding for Java, has TLS alone. The last row is what a server must do besides: read the file, and write to a socket.
 */
final class CipherTable {
    static final int PACKET_BYTES = 32 << 10;

    /** Before the bytes that are encrypted: the length of the packet, which is not. */
    static final int HEAD_BYTES = 4;

    static final int TAG_BYTES = 16;

    private static final int MAC_BYTES = 32;
    private static final int IV_BYTES = 12;
    private static final int BLOCK_BYTES = 16;
    private static final int PACKETS_PER_LOOK = 64;
    private static final int WARM_SECONDS = 3;
    private static final double MEGA = 1e6;
    private static final double NANO = 1e9;

    /** The last line that OpenSSL's program prints for other programs: thousands of bytes a second. */
    private static final Pattern SPEED = Pattern.compile("^\\+F:\\d+:[^:]+:([0-9.]+)$", Pattern.MULTILINE);

    /** Encrypts a packet. */
    @FunctionalInterface
    interface Packets {
        void encrypt(byte[] packet, long number) throws Exception;
    }

    @FunctionalInterface
    private interface Maker {
        Packets make() throws Exception;
    }

    private CipherTable() {}

    private static Map<String, Maker> inJava() {
        Map<String, Maker> rows = new LinkedHashMap<>();
        rows.put("JDK, AES-128-GCM", () -> gcm(16));
        rows.put("JDK, AES-256-GCM", () -> gcm(32));
        rows.put("JDK, ChaCha20-Poly1305", CipherTable::chaCha);
        rows.put("JDK, AES-128-CTR, HMAC-SHA-256", CipherTable::counter);
        rows.put("SFS, aes128-gcm@openssh.com", () -> mina(BuiltinCiphers.aes128gcm, null));
        rows.put("SFS, chacha20-poly1305@openssh.com", () -> mina(BuiltinCiphers.cc20p1305_openssh, null));
        rows.put("SFS, aes128-ctr, hmac-sha2-256-etm", () -> mina(BuiltinCiphers.aes128ctr, BuiltinMacs.hmacsha256etm));
        return rows;
    }

    /** As its program names them. */
    private static final List<String> IN_OPENSSL = List.of("aes-128-gcm", "chacha20-poly1305");

    /**
     * Measures, and prints a table.
     *
     * @param rounds of a second for each row
     * @return ns for a byte, round by round, by row
     */
    static Map<String, Object> measure(int rounds, PrintWriter out) throws Exception {
        double megahertz = Cpus.megahertz();
        Map<String, Object> report = new LinkedHashMap<>();
        report.put("MHz", megahertz);
        List<List<String>> table = new ArrayList<>();
        for (Map.Entry<String, Maker> row : inJava().entrySet()) {
            Packets packets = row.getValue().make();
            add(row.getKey(), nsPerByte(packets, rounds), megahertz, table, report);
        }
        for (String cipher : IN_OPENSSL) {
            double[] each = new double[rounds];
            for (int i = 0; i < rounds; i++) {
                each[i] = ofOpenSsl(cipher);
            }
            add("OpenSSL, " + cipher, each, megahertz, table, report);
        }
        try (ServerPath path = new ServerPath(gcm(16))) {
            add("file, JDK's AES-128-GCM, socket", nsPerByte(path::send, rounds), megahertz, table, report);
        }
        out.printf(
                Locale.ROOT,
                "packets of %d bytes, one thread; cycles are those of the %.0f MHz of /proc/cpuinfo%n%s%n",
                PACKET_BYTES,
                megahertz,
                TextTable.of(List.of("cipher", "CPU ns/byte", "MB/s", "bytes/cycle"), table));
        out.flush();
        return report;
    }

    private static void add(
            String name, double[] nsPerByte, double megahertz, List<List<String>> table, Map<String, Object> report) {
        double median = Stat.of(nsPerByte).median();
        boolean isKnown = !Double.isNaN(median);
        table.add(List.of(
                name,
                isKnown ? String.format(Locale.ROOT, "%.3f", median) : "not installed",
                isKnown ? String.format(Locale.ROOT, "%,.0f", NANO / median / MEGA) : "-",
                isKnown && !Double.isNaN(megahertz)
                        ? String.format(Locale.ROOT, "%.2f", NANO / median / MEGA / megahertz)
                        : "-"));
        report.put(name, isKnown ? Arrays.stream(nsPerByte).boxed().toList() : List.of());
    }

    private static double[] nsPerByte(Packets packets, int rounds) throws Exception {
        byte[] packet = new byte[HEAD_BYTES + PACKET_BYTES + Math.max(TAG_BYTES, MAC_BYTES)];
        long sent = run(packets, packet, 0, WARM_SECONDS)[0];
        double[] each = new double[rounds];
        for (int i = 0; i < rounds; i++) {
            long[] done = run(packets, packet, sent, 1);
            each[i] = (double) done[1] / ((done[0] - sent) * PACKET_BYTES);
            sent = done[0];
        }
        if (Arrays.equals(packet, new byte[packet.length])) {
            throw new IllegalStateException("nothing was encrypted");
        }
        return each;
    }

    /** Encrypts for so many seconds of this thread's CPU time; the number of the last packet, and the time. */
    private static long[] run(Packets packets, byte[] packet, long from, int seconds) throws Exception {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long count = from;
        long startNs = threads.getCurrentThreadCpuTime();
        long nowNs = startNs;
        while (nowNs - startNs < TimeUnit.SECONDS.toNanos(seconds)) {
            for (int i = 0; i < PACKETS_PER_LOOK; i++) {
                packets.encrypt(packet, ++count);
            }
            nowNs = threads.getCurrentThreadCpuTime();
        }
        return new long[] {count, nowNs - startNs};
    }

    private static byte[] iv(int bytes, long number) {
        byte[] iv = new byte[bytes];
        for (int i = 0; i < Long.BYTES; i++) {
            iv[IV_BYTES - 1 - i] = (byte) (number >> (8 * i));
        }
        return iv;
    }

    // By the JDK.

    static Packets gcm(int keyBytes) throws Exception {
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        SecretKeySpec key = new SecretKeySpec(new byte[keyBytes], "AES");
        return (packet, number) -> {
            cipher.init(Cipher.ENCRYPT_MODE, key, new GCMParameterSpec(8 * TAG_BYTES, iv(IV_BYTES, number)));
            finish(cipher, packet);
        };
    }

    private static Packets chaCha() throws Exception {
        Cipher cipher = Cipher.getInstance("ChaCha20-Poly1305");
        SecretKeySpec key = new SecretKeySpec(new byte[32], "ChaCha20");
        return (packet, number) -> {
            cipher.init(Cipher.ENCRYPT_MODE, key, new IvParameterSpec(iv(IV_BYTES, number)));
            finish(cipher, packet);
        };
    }

    private static void finish(Cipher cipher, byte[] packet) throws Exception {
        cipher.updateAAD(packet, 0, HEAD_BYTES);
        int n = cipher.doFinal(packet, HEAD_BYTES, PACKET_BYTES, packet, HEAD_BYTES);
        if (n != PACKET_BYTES + TAG_BYTES) {
            throw new IllegalStateException("encrypted " + n + " bytes");
        }
    }

    private static Packets counter() throws Exception {
        Cipher cipher = Cipher.getInstance("AES/CTR/NoPadding");
        cipher.init(
                Cipher.ENCRYPT_MODE, new SecretKeySpec(new byte[16], "AES"), new IvParameterSpec(iv(BLOCK_BYTES, 0)));
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(new byte[MAC_BYTES], "HmacSHA256"));
        return (packet, number) -> {
            int unused = cipher.update(packet, HEAD_BYTES, PACKET_BYTES, packet, HEAD_BYTES);
            mac.update(packet, 0, HEAD_BYTES + PACKET_BYTES);
            mac.doFinal(packet, HEAD_BYTES + PACKET_BYTES);
        };
    }

    // As SFS has them.

    private static Packets mina(BuiltinCiphers kind, @Nullable BuiltinMacs macKind) throws Exception {
        org.apache.sshd.common.cipher.Cipher cipher = kind.create();
        cipher.init(
                org.apache.sshd.common.cipher.Cipher.Mode.Encrypt,
                new byte[cipher.getKdfSize()],
                new byte[cipher.getIVSize()]);
        if (macKind == null) {
            return (packet, number) -> cipher.updateWithAAD(packet, 0, HEAD_BYTES, PACKET_BYTES);
        }
        org.apache.sshd.common.mac.Mac mac = macKind.create();
        mac.init(new byte[mac.getBlockSize()]);
        return (packet, number) -> {
            cipher.update(packet, HEAD_BYTES, PACKET_BYTES);
            mac.updateUInt(number);
            mac.update(packet, 0, HEAD_BYTES + PACKET_BYTES);
            mac.doFinal(packet, HEAD_BYTES + PACKET_BYTES);
        };
    }

    // By OpenSSL.

    /** NaN if there is no such program. */
    private static double ofOpenSsl(String cipher) throws IOException, InterruptedException {
        Path output = Files.createTempFile("openssl", ".txt");
        try {
            Process process = new ProcessBuilder(
                            "openssl", "speed", "-mr", "-seconds", "1", "-bytes", "" + PACKET_BYTES, "-evp", cipher)
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            int code = process.waitFor();
            Matcher speed = SPEED.matcher(Files.readString(output, StandardCharsets.UTF_8));
            if (code != 0 || !speed.find()) {
                throw new IOException("openssl speed: " + Files.readString(output, StandardCharsets.UTF_8));
            }
            return NANO / Double.parseDouble(speed.group(1));
        } catch (IOException none) {
            if (none.getCause() != null) { // the program could not be started
                return Double.NaN;
            }
            throw none;
        } finally {
            Files.delete(output);
        }
    }
}
