// SPDX-License-Identifier: Apache-2.0
package io.mely.images.cli;

import io.mely.images.picture.PictureFormat;
import io.mely.images.picture.PictureWriter;
import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.GradientPaint;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.geom.Ellipse2D;
import java.awt.geom.Path2D;
import java.awt.image.BufferedImage;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/** Made-up pictures: hills before a sky at some time of the day. The same at each run. */
final class Demo {
    private static final int PICTURES = 6;
    private static final int WIDTH = 2_000;
    private static final int HEIGHT = 1_300;
    private static final int HILLS = 5;
    private static final int STARS = 200;
    private static final float QUALITY = 0.9f;

    private Demo() {}

    /** All of them, as files. */
    static List<byte[]> pictures() {
        return IntStream.range(0, PICTURES)
                .mapToObj(i -> PictureWriter.write(draw(i), PictureFormat.JPEG, QUALITY))
                .toList();
    }

    private static BufferedImage draw(int number) {
        SplittableRandom random = new SplittableRandom(number);
        BufferedImage image = new BufferedImage(WIDTH, HEIGHT, BufferedImage.TYPE_INT_RGB);
        Graphics2D graphics = image.createGraphics();
        graphics.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
        float hour = number / (float) PICTURES;
        sky(graphics, random, hour);
        for (int hill = 0; hill < HILLS; hill++) {
            hill(graphics, random, hour, hill);
        }
        graphics.dispose();
        return image;
    }

    private static void sky(Graphics2D graphics, SplittableRandom random, float hour) {
        Color top = Color.getHSBColor(0.58f + hour / 6, 0.7f, 0.9f - 0.7f * hour);
        Color horizon = Color.getHSBColor(0.12f - hour / 10, 0.3f + hour / 2, 1 - hour / 3);
        graphics.setPaint(new GradientPaint(0, 0, top, 0, HEIGHT * 0.8f, horizon));
        graphics.fillRect(0, 0, WIDTH, HEIGHT);
        graphics.setColor(Color.WHITE);
        for (int star = 0; star < STARS * hour; star++) {
            double size = 1 + random.nextDouble() * 4;
            graphics.fill(
                    new Ellipse2D.Double(random.nextDouble() * WIDTH, random.nextDouble() * HEIGHT / 2, size, size));
        }
        graphics.setColor(Color.getHSBColor(0.14f, 0.4f * (1 - hour), 1));
        double sun = 120 + random.nextDouble() * 60;
        graphics.fill(new Ellipse2D.Double(
                WIDTH * (0.15 + 0.6 * random.nextDouble()), HEIGHT * (0.1 + 0.3 * hour), sun, sun));
    }

    private static void hill(Graphics2D graphics, SplittableRandom random, float hour, int hill) {
        double base = HEIGHT * (0.45 + 0.1 * hill);
        double phase = random.nextDouble() * 6;
        double steep = 1.5 + random.nextDouble() * 2;
        Path2D ridge = new Path2D.Double();
        ridge.moveTo(0, HEIGHT);
        for (int x = 0; x <= WIDTH; x += 4) {
            double at = x * steep / WIDTH * Math.PI + phase;
            ridge.lineTo(x, base - 90 * Math.sin(at) - 30 * Math.sin(3.7 * at) - random.nextDouble() * 6);
        }
        ridge.lineTo(WIDTH, HEIGHT);
        ridge.closePath();
        graphics.setColor(Color.getHSBColor(
                0.3f + 0.05f * (HILLS - hill), 0.25f + 0.1f * hill, (0.75f - 0.1f * hill) * (1 - 0.6f * hour)));
        graphics.fill(ridge);
        graphics.setStroke(new BasicStroke(2));
        graphics.setColor(graphics.getColor().brighter());
        graphics.draw(ridge);
    }
}
