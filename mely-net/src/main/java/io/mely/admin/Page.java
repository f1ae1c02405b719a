// SPDX-License-Identifier: Apache-2.0
package io.mely.admin;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;

/**
 * The live page and what it may do. It runs its own script and style and no other, loads nothing, talks to its own server, and cannot make markup of text: names of stages come from users.
 *
 * @param bytes of the one file
 * @param policy the Content-Security-Policy
 */
@SuppressWarnings("ArrayRecordComponent") // written out and never compared
record Page(byte[] bytes, String policy) {
    /** Reads it from the jar. */
    static Page read() throws IOException {
        try (InputStream in = Page.class.getResourceAsStream("admin.html")) {
            if (in == null) {
                throw new IOException("admin.html is missing from the jar");
            }
            byte[] bytes = in.readAllBytes();
            String text = new String(bytes, StandardCharsets.UTF_8);
            String policy =
                    "default-src 'none'; script-src " + hash(text, "script") + "; style-src " + hash(text, "style")
                            + "; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
                            + "; require-trusted-types-for 'script'; trusted-types 'none'";
            return new Page(bytes, policy);
        }
    }

    /** Of what is in the one element of that name. */
    private static String hash(String text, String element) throws IOException {
        int from = text.indexOf("<" + element + ">") + element.length() + 2;
        int to = text.indexOf("</" + element + ">", from);
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256")
                    .digest(text.substring(from, to).getBytes(StandardCharsets.UTF_8));
            return "'sha256-" + Base64.getEncoder().encodeToString(digest) + "'";
        } catch (NoSuchAlgorithmException e) {
            throw new IOException("every Java has SHA-256", e);
        }
    }
}
