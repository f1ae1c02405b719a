// SPDX-License-Identifier: Apache-2.0
package io.mely.images.picture;

import com.luciad.imageio.webp.WebPWriteParam;
import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Locale;
import javax.imageio.IIOImage;
import javax.imageio.ImageIO;
import javax.imageio.ImageWriteParam;
import javax.imageio.ImageWriter;
import javax.imageio.stream.MemoryCacheImageOutputStream;

/**
 * Encodes pictures, without any metadata.
 *
 * <p><b>Threads.</b> Any. <b>Errors.</b> {@link IllegalStateException} for WebP, if {@link #isWebpWritten} is false.
 */
public final class PictureWriter {
    private PictureWriter() {}

    /**
     * Whether this machine can write WebP.
     *
     * @return false where there is no native library for it
     */
    public static boolean isWebpWritten() {
        return WebpLibrary.IS_LOADED;
    }

    /**
     * Encodes one.
     *
     * @param image any
     * @param format of the result; JPEG has white in place of transparency
     * @param quality of JPEG and WebP, 0 (small) to 1 (good)
     * @return the file
     */
    public static byte[] write(BufferedImage image, PictureFormat format, float quality) {
        try {
            return encode(format == PictureFormat.JPEG ? onWhite(image) : plain(image), format, quality);
        } catch (IOException e) {
            throw new UncheckedIOException("in memory", e);
        }
    }

    private static byte[] encode(BufferedImage image, PictureFormat format, float quality) throws IOException {
        if (format == PictureFormat.WEBP && !WebpLibrary.IS_LOADED) {
            throw new IllegalStateException("there is no encoder of WebP for this machine");
        }
        ImageWriter writer = ImageIO.getImageWritersByFormatName(format.name().toLowerCase(Locale.ROOT))
                .next();
        ByteArrayOutputStream file = new ByteArrayOutputStream(1 << 14);
        try (MemoryCacheImageOutputStream out = new MemoryCacheImageOutputStream(file)) {
            writer.setOutput(out);
            writer.write(null, new IIOImage(image, null, null), parameters(writer, format, quality));
        } finally {
            writer.dispose();
        }
        return file.toByteArray();
    }

    private static ImageWriteParam parameters(ImageWriter writer, PictureFormat format, float quality) {
        ImageWriteParam parameters = writer.getDefaultWriteParam();
        if (format == PictureFormat.PNG) {
            return parameters;
        }
        parameters.setCompressionMode(ImageWriteParam.MODE_EXPLICIT);
        if (parameters instanceof WebPWriteParam webp) {
            webp.setCompressionType(webp.getCompressionTypes()[WebPWriteParam.LOSSY_COMPRESSION]);
        }
        parameters.setCompressionQuality(quality);
        return parameters;
    }

    private static BufferedImage onWhite(BufferedImage image) {
        return image.getType() == BufferedImage.TYPE_INT_RGB ? image : drawn(image, BufferedImage.TYPE_INT_RGB);
    }

    /** Not premultiplied: that is how files are. */
    private static BufferedImage plain(BufferedImage image) {
        return image.isAlphaPremultiplied() ? drawn(image, BufferedImage.TYPE_INT_ARGB) : image;
    }

    private static BufferedImage drawn(BufferedImage image, int type) {
        BufferedImage copy = new BufferedImage(image.getWidth(), image.getHeight(), type);
        Graphics2D graphics = copy.createGraphics();
        if (!copy.getColorModel().hasAlpha()) {
            graphics.setColor(Color.WHITE);
            graphics.fillRect(0, 0, copy.getWidth(), copy.getHeight());
        }
        graphics.drawImage(image, 0, 0, null);
        graphics.dispose();
        return copy;
    }
}
