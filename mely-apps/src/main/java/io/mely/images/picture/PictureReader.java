// SPDX-License-Identifier: Apache-2.0
package io.mely.images.picture;

import com.twelvemonkeys.imageio.plugins.jpeg.JPEGImageReaderSpi;
import com.twelvemonkeys.imageio.plugins.webp.WebPImageReaderSpi;
import com.twelvemonkeys.imageio.stream.ByteArrayImageInputStream;
import java.awt.image.BufferedImage;
import java.awt.image.DataBuffer;
import java.awt.image.SampleModel;
import java.io.IOException;
import java.util.Iterator;
import javax.imageio.ImageIO;
import javax.imageio.ImageReader;
import javax.imageio.ImageTypeSpecifier;
import javax.imageio.spi.IIORegistry;
import javax.imageio.spi.ImageReaderSpi;

/**
 * Decodes one picture, after its head has shown that this does no harm.
 *
 * <p>WebP is decoded by Java code: the native library that writes it is of 2020, before the hole in its decoder was found (CVE-2023-4863).
 *
 * <p><b>Costs.</b> Opening: some microseconds for each megabyte. Decoding: tens of milliseconds for each megapixel.
 */
public final class PictureReader implements AutoCloseable {
    /** Of the first scaling, which halves both sides at most: four bytes for a quarter of the pixels. */
    private static final int HALVING_BYTES = 1;

    static {
        ImageIO.setUseCache(false); // else whatever a decoder opens may become a file
    }

    private final PictureFormat format;
    private final Checked checked;
    private final ImageReader reader;
    private final int width;
    private final int height;
    private final int bytesPerPixel;
    private String warning = "";

    private PictureReader(PictureFormat format, byte[] file, PictureLimits limits)
            throws PictureException, IOException {
        this.format = format;
        checked = switch (format) {
            case JPEG -> JpegMarkers.check(file);
            case PNG -> PngChunks.keepNeeded(file);
            case WEBP -> WebpChunks.check(file, limits);
        };
        reader = provider(format).createReaderInstance();
        boolean isOpen = false;
        try {
            reader.setInput(new ByteArrayImageInputStream(file, 0, checked.length()), false, true);
            reader.addIIOReadWarningListener((source, text) -> warn(text));
            width = reader.getWidth(0);
            height = reader.getHeight(0);
            limits.check(width, height);
            bytesPerPixel = bytesPerPixel(reader.getImageTypes(0)) + checked.extraBytesPerPixel() + HALVING_BYTES;
            isOpen = true;
        } finally {
            if (!isOpen) {
                reader.dispose();
            }
        }
    }

    /**
     * Reads the head of a picture.
     *
     * @param file its bytes, which may be moved about
     * @param limits of its size
     * @return to be closed
     * @throws PictureException if it is of another format, damaged or too large
     */
    public static PictureReader open(byte[] file, PictureLimits limits) throws PictureException {
        PictureFormat format = PictureFormat.of(file);
        if (format == null) {
            throw new PictureException(415, "no JPEG, PNG or WebP");
        }
        try {
            return new PictureReader(format, file, limits);
        } catch (IOException | RuntimeException e) { // the readers throw whatever their tables and arrays do
            throw PictureException.damaged(e.toString());
        }
    }

    /** Of each format one decoder, whatever else is registered. */
    private static ImageReaderSpi provider(PictureFormat format) throws IOException {
        if (format == PictureFormat.PNG) {
            Iterator<ImageReader> readers = ImageIO.getImageReadersByFormatName("png");
            while (readers.hasNext()) {
                ImageReaderSpi provider = readers.next().getOriginatingProvider();
                if (provider.getClass().getName().startsWith("com.sun.imageio.")) {
                    return provider;
                }
            }
            throw new IOException("this JDK does not read PNG");
        }
        Class<? extends ImageReaderSpi> type =
                format == PictureFormat.JPEG ? JPEGImageReaderSpi.class : WebPImageReaderSpi.class;
        return IIORegistry.getDefaultInstance().getServiceProviderByClass(type);
    }

    private static int bytesPerPixel(Iterator<ImageTypeSpecifier> types) throws PictureException {
        if (!types.hasNext()) {
            throw PictureException.damaged("unknown colors");
        }
        SampleModel samples = types.next().getSampleModel();
        int bytes = samples.getNumDataElements() * DataBuffer.getDataTypeSize(samples.getDataType()) / Byte.SIZE;
        return GrayAlpha.isConverted(samples) ? bytes + GrayAlpha.BYTES : bytes;
    }

    private void warn(String text) {
        if (text.contains("premature end") || text.contains("Truncated")) {
            warning = text; // others are about what does not matter, such as bytes between segments
        }
    }

    /**
     * The format.
     *
     * @return by its first bytes
     */
    public PictureFormat format() {
        return format;
    }

    /**
     * Pixels of a row, before the picture is turned.
     *
     * @return &gt;= 1
     */
    public int width() {
        return width;
    }

    /**
     * Pixels of a column, before the picture is turned.
     *
     * @return &gt;= 1
     */
    public int height() {
        return height;
    }

    /**
     * What decoding and the first scaling take.
     *
     * @return bytes, at most
     */
    public long memoryBytes() {
        return (long) width * height * bytesPerPixel + checked.tableBytes();
    }

    /**
     * How the camera was held.
     *
     * @return as the file says; upright if it says nothing
     */
    public Orientation orientation() {
        return Orientation.of(checked.exif());
    }

    /**
     * Decodes it.
     *
     * @return not turned yet; of any type
     * @throws PictureException if it is damaged
     */
    public BufferedImage read() throws PictureException {
        BufferedImage image;
        try {
            image = reader.read(0);
        } catch (IOException | RuntimeException e) { // as above
            throw PictureException.damaged(e.toString());
        }
        if (!warning.isEmpty()) {
            throw PictureException.damaged(warning);
        }
        if (image.getWidth() != width || image.getHeight() != height) {
            throw PictureException.damaged("it says two sizes");
        }
        return GrayAlpha.isConverted(image.getSampleModel()) ? GrayAlpha.convert(image) : image;
    }

    @Override
    public void close() {
        reader.dispose();
    }
}
