// SPDX-License-Identifier: Apache-2.0
package io.mely.images.picture;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Walks through the markers of a JPEG file: a decoder says nothing about one that ends early, and goes through the whole picture again for each of its scans, which may be
 * a few bytes long.
 *
 * <p><b>Source.</b> ITU T.81, B.1 and B.2.
 */
final class JpegMarkers {
    /** Most scans. Progressive files have about ten; the limit that libjpeg-turbo's fuzzers have is 500. A guess. */
    private static final int SCANS_MAX = 100;

    /** Of a progressive picture the decoder keeps the coefficients, in two bytes for each component. */
    private static final int COEFFICIENT_BYTES = 2;

    /** Of a picture for printers, which is converted: its raster, and a copy of it. */
    private static final int CMYK_BYTES = 8;

    private static final int CMYK_COMPONENTS = 4;

    private static final int SOI = 0xd8;
    private static final int EOI = 0xd9;
    private static final int SOS = 0xda;
    private static final int RST_FIRST = 0xd0;
    private static final int RST_LAST = 0xd7;
    private static final int TEM = 0x01;
    private static final int APP1 = 0xe1;
    private static final int SOF2 = 0xc2;
    private static final String EXIF = "Exif\0\0";

    private final byte[] file;
    private int at = 2; // behind SOI
    private int frames;
    private int scans;
    private int extraBytesPerPixel;
    private byte @Nullable [] exif;

    private JpegMarkers(byte[] file) {
        this.file = file;
    }

    /** Checks a file that begins with SOI. */
    static Checked check(byte[] file) throws PictureException {
        JpegMarkers markers = new JpegMarkers(file);
        markers.walk();
        return new Checked(markers.at, markers.exif, markers.extraBytesPerPixel, 0);
    }

    private void walk() throws PictureException {
        for (int marker = next(); marker != EOI; marker = next()) {
            if (marker == TEM || (marker >= RST_FIRST && marker <= RST_LAST)) {
                continue; // these have no content
            }
            if (marker == SOI) {
                throw PictureException.damaged("a second beginning");
            }
            int length = length();
            if (isFrame(marker)) {
                frame(marker, length);
            }
            if (marker == APP1) {
                keepExif(length);
            }
            at += length;
            if (marker == SOS) {
                if (++scans > SCANS_MAX) {
                    throw new PictureException(422, "more than " + SCANS_MAX + " scans");
                }
                skipScan();
            }
        }
        if (scans == 0) {
            throw PictureException.damaged("no picture in it");
        }
    }

    /** The next marker, which may stand behind fill bytes. */
    private int next() throws PictureException {
        int b = take();
        if (b != 0xff) {
            throw PictureException.damaged("no marker at byte " + (at - 1));
        }
        while (b == 0xff) {
            b = take();
        }
        return b;
    }

    private int take() throws PictureException {
        if (at == file.length) {
            throw PictureException.damaged("it ends early");
        }
        return file[at++] & 0xff;
    }

    /** Of a segment, with its two bytes, of which all are there. */
    private int length() throws PictureException {
        if (file.length - at < 2) {
            throw PictureException.damaged("it ends early");
        }
        int length = (file[at] & 0xff) << 8 | (file[at + 1] & 0xff);
        if (length < 2) {
            throw PictureException.damaged("a segment of length " + length);
        }
        if (length > file.length - at) {
            throw PictureException.damaged("it ends early");
        }
        return length;
    }

    private void frame(int marker, int length) throws PictureException {
        if (++frames > 1) {
            throw PictureException.damaged("several frames");
        }
        if (length < 8) {
            throw PictureException.damaged("a frame of length " + length);
        }
        int components = file[at + 7];
        extraBytesPerPixel = (marker == SOF2 ? COEFFICIENT_BYTES * components : 0)
                + (components == CMYK_COMPONENTS ? CMYK_BYTES : 0);
    }

    /** SOF0 to SOF15, without DHT, JPG and DAC. */
    private static boolean isFrame(int marker) {
        return marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
    }

    private void keepExif(int length) {
        int content = at + 2;
        if (exif == null && length >= 2 + EXIF.length() && PictureFormat.isText(file, content, EXIF)) {
            exif = Arrays.copyOfRange(file, content + EXIF.length(), at + length);
        }
    }

    /** Entropy-coded data: 0xff is followed by 0, or is a restart marker. */
    private void skipScan() throws PictureException {
        while (true) {
            if (take() != 0xff) {
                continue;
            }
            int b = take();
            while (b == 0xff) {
                b = take();
            }
            if (b != 0 && (b < RST_FIRST || b > RST_LAST)) {
                at -= 2;
                return;
            }
        }
    }
}
