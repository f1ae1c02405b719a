// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.sfs;

import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/** What the cipher alone takes: packets of the size that SFTP has, encrypted one after the other by one thread, as a server does. */
final class CipherLimit {
    private static final int PACKET_BYTES = 32 << 10;
    private static final int TAG_BYTES = 16;
    private static final int IV_BYTES = 12;
    private static final int KEY_BYTES = 16;
    private static final int PACKETS_PER_LOOK = 64;

    private CipherLimit() {}

    /**
     * Measures AES-128 in GCM of this JVM.
     *
     * @param time how long
     * @return nanoseconds for a byte
     */
    static double nsPerByte(long time, TimeUnit unit) throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        SecretKeySpec key = new SecretKeySpec(new byte[KEY_BYTES], "AES");
        byte[] packet = new byte[4 + PACKET_BYTES + TAG_BYTES];
        byte[] iv = new byte[IV_BYTES];
        long count = 0;
        long bytes = 0;
        long startNs = System.nanoTime();
        long endNs = startNs + unit.toNanos(time);
        long nowNs = startNs;
        while (nowNs - endNs < 0) {
            for (int i = 0; i < PACKETS_PER_LOOK; i++) {
                count++;
                for (int j = 0; j < Long.BYTES; j++) {
                    iv[IV_BYTES - 1 - j] = (byte) (count >> (8 * j));
                }
                cipher.init(Cipher.ENCRYPT_MODE, key, new GCMParameterSpec(8 * TAG_BYTES, iv));
                cipher.updateAAD(packet, 0, 4);
                int n = cipher.doFinal(packet, 4, PACKET_BYTES, packet, 4);
                if (n != PACKET_BYTES + TAG_BYTES) {
                    throw new IllegalStateException("encrypted " + n + " bytes");
                }
                bytes += PACKET_BYTES;
            }
            nowNs = System.nanoTime();
        }
        if (Arrays.equals(packet, new byte[packet.length])) {
            throw new IllegalStateException("nothing was encrypted");
        }
        return (double) (nowNs - startNs) / bytes;
    }
}
