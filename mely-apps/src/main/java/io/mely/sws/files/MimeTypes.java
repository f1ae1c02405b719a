// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.files;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * The Content-Type of a file by the extension of its name, from the table {@code mime.types} beside this class.
 *
 * <p><b>Threads.</b> Any; immutable.
 */
public final class MimeTypes {
    /** What a file of unknown type is sent as, so that no browser takes it for anything. */
    public static final String UNKNOWN = "application/octet-stream";

    private static final String TABLE = "mime.types";
    private static final String CHARSET = "; charset=utf-8";

    private static final Set<String> COMPRESSIBLE = Set.of(
            "application/json",
            "application/yaml",
            "application/wasm",
            "application/postscript",
            "application/rtf",
            "application/vnd.ms-fontobject",
            "font/ttf",
            "font/otf",
            "font/collection",
            "image/bmp",
            "image/vnd.microsoft.icon",
            "model/obj",
            "model/stl");

    private final Map<String, String> byExtension;

    private MimeTypes(Map<String, String> byExtension) {
        this.byExtension = Map.copyOf(byExtension);
    }

    /**
     * Reads the table that comes with the server.
     *
     * @return the types
     */
    public static MimeTypes bundled() {
        InputStream table = MimeTypes.class.getResourceAsStream(TABLE);
        if (table == null) {
            throw new IllegalStateException("resource is missing: " + TABLE);
        }
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(table, StandardCharsets.UTF_8))) {
            return parse(lines);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static MimeTypes parse(BufferedReader lines) throws IOException {
        Map<String, String> types = new HashMap<>();
        int number = 0;
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            number++;
            String text = line.strip();
            if (text.isEmpty() || text.startsWith("#")) {
                continue;
            }
            String[] words = text.split("[ \t]+", -1);
            String type = words[0].startsWith("text/") ? words[0] + CHARSET : words[0];
            for (int i = 1; i < words.length; i++) {
                if (types.putIfAbsent(words[i], type) != null) {
                    throw new IllegalArgumentException(
                            TABLE + " line " + number + ": extension has two types: extension=" + words[i]);
                }
            }
        }
        return new MimeTypes(types);
    }

    /**
     * Tells whether files of a type become much shorter when they are compressed. Images, sounds, films and archives are compressed already.
     *
     * @param type a value of Content-Type
     * @return true for text, in whatever guise, and for some formats that are not compressed in themselves
     */
    static boolean isCompressible(String type) {
        int parameters = type.indexOf(';');
        String plain = parameters < 0 ? type : type.substring(0, parameters);
        return plain.startsWith("text/")
                || plain.endsWith("+xml")
                || plain.endsWith("+json")
                || COMPRESSIBLE.contains(plain);
    }

    /**
     * The type of a file.
     *
     * @param name its name or path
     * @return value of Content-Type
     */
    public String of(String name) {
        return byExtension.getOrDefault(extensionOf(name), UNKNOWN);
    }

    /**
     * Tells whether a name ends as that of a file.
     *
     * @param name its name or path
     * @return true if the table has its extension, be it as one that says nothing of the content, such as {@code .bin}
     */
    boolean isKnown(String name) {
        return byExtension.containsKey(extensionOf(name));
    }

    /** Lower case; empty if there is none. */
    private static String extensionOf(String name) {
        int dot = name.lastIndexOf('.');
        return dot < 0 || name.indexOf('/', dot) >= 0
                ? ""
                : name.substring(dot + 1).toLowerCase(Locale.ROOT);
    }
}
