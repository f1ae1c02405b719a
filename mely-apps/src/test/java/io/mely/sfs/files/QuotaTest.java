// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.files;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class QuotaTest extends TreeHarness {
    private Quota quota;

    @BeforeEach
    void limit() throws IOException {
        tree.close();
        Files.createDirectories(root.resolve("d/e"));
        Files.write(root.resolve("d/e/old"), new byte[600]);
        Files.createLink(root.resolve("second-name"), root.resolve("d/e/old"));
        Files.createSymbolicLink(root.resolve("link"), outside);
        tree = open(1000);
        tree.countForQuota();
        quota = tree.quota();
    }

    // What there was counts, once for a file with two names; what links lead to does not.
    @Test
    void count_ofWhatThereIs_isItsSize() {
        assertThat(quota.freeBytes()).isEqualTo(400);
    }

    @Test
    void write_beyondTheQuota_isRefusedAndNotCounted() throws IOException {
        write("a", WRITE, 0, "x".repeat(300));
        assertThat(quota.freeBytes()).isEqualTo(100);
        assertRefused(Errno.EDQUOT, () -> write("a", WRITE, 300, "x".repeat(101)));
        assertThat(quota.freeBytes()).isEqualTo(100);
        write("a", WRITE, 300, "x".repeat(100));
        assertThat(quota.freeBytes()).isZero();
        write("a", WRITE, 0, "y".repeat(400)); // over what is there
        assertRefused(Errno.EDQUOT, () -> write("a", APPEND, 0, "x"));
        assertRefused(Errno.EDQUOT, () -> tree.change(at("a"), new Tree.Change(401, -1, 0, 0, false), true));
        // A hole counts as what it may become.
        assertRefused(Errno.EDQUOT, () -> write("b", WRITE, 1L << 40, "x"));
    }

    // Sizes near 2^63 do not turn the count over.
    @Test
    void take_largeNumbers_areRefusedAndNotCounted() throws IOException {
        write("a", WRITE, 0, "x");
        try (RegularFile file = tree.openFile(at("a"), WRITE, 0644)) {
            file.write(buffer, 0, Long.MAX_VALUE); // nothing: it grows nothing
            assertThat(file.attributes().size()).isEqualTo(1);
            assertThat(quota.freeBytes()).isEqualTo(399);
            assertRefused(Errno.EDQUOT, () -> file.write(buffer, 1, Long.MAX_VALUE - 1));
            assertRefused(Errno.EDQUOT, () -> file.change(new Tree.Change(Long.MAX_VALUE, -1, 0, 0, false)));
        }
        assertRefused(Errno.EDQUOT, () -> tree.change(at("a"), new Tree.Change(Long.MAX_VALUE, -1, 0, 0, false), true));
        assertRefused(Errno.EDQUOT, () -> quota.take(Long.MAX_VALUE));
        assertThat(quota.freeBytes()).isEqualTo(399);
    }

    @Test
    void room_ofRemovedFiles_isFreeAgain() throws IOException {
        write("a", WRITE, 0, "x".repeat(400));
        tree.change(at("a"), new Tree.Change(100, -1, 0, 0, false), true);
        assertThat(quota.freeBytes()).isEqualTo(300);
        write("b", WRITE, 0, "x".repeat(50));
        tree.rename(at("b"), at("a"), true);
        assertThat(quota.freeBytes()).isEqualTo(350);
        tree.openFile(at("a"), EMPTY, 0644).close();
        assertThat(quota.freeBytes()).isEqualTo(400);
        tree.removeFile(at("second-name")); // the first name keeps the bytes
        assertThat(quota.freeBytes()).isEqualTo(400);
        tree.removeFile(at("d/e/old"));
        assertThat(quota.freeBytes()).isEqualTo(1000);
    }

    @Test
    void copy_beyondTheQuota_isRefused() throws IOException {
        try (RegularFile from = tree.openFile(at("d/e/old"), READ, 0);
                RegularFile to = tree.openFile(at("b"), WRITE, 0644)) {
            copy(from, 0, 100, to, 0);
            assertThat(quota.freeBytes()).isEqualTo(300);
            assertRefused(Errno.EDQUOT, () -> copy(from, 0, 600, to, 0));
        }
        assertThat(quota.freeBytes()).isEqualTo(300);
    }

    // What is there already has been counted.
    @Test
    void copy_ontoWhatIsThere_growsNothing() throws IOException {
        write("b", WRITE, 0, "x".repeat(300));
        try (RegularFile from = tree.openFile(at("d/e/old"), READ, 0);
                RegularFile to = tree.openFile(at("b"), WRITE, 0644)) {
            copy(from, 0, 200, to, 0);
            assertThat(quota.freeBytes()).isEqualTo(100);
            copy(from, 0, 200, to, 150); // the last 50 are new
            assertThat(quota.freeBytes()).isEqualTo(50);
        }
    }

    // The disk looks as small as the quota.
    @Test
    void space_withAQuota_isTheQuotas() throws IOException {
        Space space = tree.space(at("/"));
        assertThat(space.blocks() * space.unitBytes()).isLessThanOrEqualTo(1000);
        assertThat(space.availableBlocks() * space.unitBytes()).isLessThanOrEqualTo(400);
    }

    // An upload counts while it goes on, and no more when it is given up.
    @Test
    void upload_givenUp_isFreeAgain() throws IOException {
        byte[] name = ".t\0".getBytes(java.nio.charset.StandardCharsets.US_ASCII);
        try (RegularFile file = tree.openUnpublished(at("a"), EMPTY, 0644, name)) {
            write(file, 0, "x".repeat(400));
            assertThat(quota.freeBytes()).isZero();
        }
        assertThat(quota.freeBytes()).isEqualTo(400);
        try (RegularFile file = tree.openUnpublished(at("a"), EMPTY, 0644, name)) {
            write(file, 0, "x".repeat(300));
            file.publish();
        }
        assertThat(quota.freeBytes()).isEqualTo(100);
        try (RegularFile file = tree.openUnpublished(at("a"), EMPTY, 0644, name)) {
            write(file, 0, "x".repeat(50));
            file.publish();
        }
        assertThat(quota.freeBytes()).isEqualTo(350);
    }

    // Bytes of a file without a name are on the disk until nobody has it open.
    @Test
    void removed_whileItIsOpen_isFreeAtTheLastClose() throws IOException {
        RegularFile first = tree.openFile(at("a"), WRITE, 0644);
        RegularFile second = tree.openFile(at("a"), READ, 0);
        write(first, 0, "x".repeat(100));
        tree.removeFile(at("a"));
        assertThat(quota.freeBytes()).isEqualTo(300);
        first.change(new Tree.Change(0, -1, 0, 0, false));
        assertThat(quota.freeBytes()).isEqualTo(400);
        write(first, 0, "x".repeat(50));
        first.close();
        assertThat(quota.freeBytes()).isEqualTo(350);
        second.close();
        assertThat(quota.freeBytes()).isEqualTo(400);
    }

    @Test
    void replaced_whileItIsOpen_isFreeAtTheLastClose() throws IOException {
        write("b", WRITE, 0, "x".repeat(10));
        try (RegularFile file = tree.openFile(at("a"), WRITE, 0644)) {
            write(file, 0, "x".repeat(100));
            tree.rename(at("b"), at("a"), true);
            assertThat(quota.freeBytes()).isEqualTo(290);
        }
        assertThat(quota.freeBytes()).isEqualTo(390);
    }

    @Test
    void upload_publishedAndRemovedWhileItIsOpen_isFreeOnce() throws IOException {
        byte[] name = ".t\0".getBytes(java.nio.charset.StandardCharsets.US_ASCII);
        try (RegularFile file = tree.openUnpublished(at("a"), EMPTY, 0644, name)) {
            write(file, 0, "x".repeat(100));
            file.publish();
            tree.removeFile(at("a"));
            assertThat(quota.freeBytes()).isEqualTo(300);
        }
        assertThat(quota.freeBytes()).isEqualTo(400);
    }

    // A new count does not see a file without a name; nothing is given back for it.
    @Test
    void removed_beforeTheNextCount_isGivenBackOnce() throws IOException {
        try (Tree reader = Tree.open(root, RULES, quota, isWalked(), Disk.KERNEL)) {
            write("a", WRITE, 0, "x".repeat(100));
            RegularFile held = reader.openFile(at("a"), READ, 0);
            tree.removeFile(at("a"));
            tree.close();
            tree = Tree.open(root, RULES, quota, isWalked(), Disk.KERNEL);
            tree.countForQuota();
            assertThat(quota.freeBytes()).isEqualTo(400);
            held.close();
            assertThat(quota.freeBytes()).isEqualTo(400);
            write("b", WRITE, 0, "x".repeat(400));
            assertRefused(Errno.EDQUOT, () -> write("b", APPEND, 0, "x"));
        }
    }

    // A write that stops in the middle has grown the file as far as it came. One that begins at the size and has a hole
    // before it, not at all.
    @Test
    void unused_afterAPartOfAWrite_isTheRestOfTheGrowth() {
        assertThat(RegularFile.unused(100, 100, 30)).isEqualTo(70);
        assertThat(RegularFile.unused(20, 100, 30)).isEqualTo(20); // 80 were there already
        assertThat(RegularFile.unused(20, 100, 90)).isEqualTo(10);
        assertThat(RegularFile.unused(500, 100, 30)).isEqualTo(70); // the hole is made
        assertThat(RegularFile.unused(500, 100, 0)).isEqualTo(500); // it is not
        assertThat(RegularFile.unused(0, 100, 30)).isZero();
        assertThat(RegularFile.unused(100, 100, 100)).isZero();
    }

    // The largest file of a file system that has a limit below 2^63 is where a write stops in the middle.
    @Test
    void writeNow_thatStopsInTheMiddle_countsWhatItWrote() throws IOException {
        tree.close();
        tree = open(Long.MAX_VALUE);
        tree.countForQuota();
        quota = tree.quota();
        long before = quota.freeBytes();
        long largest = largestFile();
        Assumptions.assumeTrue(largest < 1L << 60, "a file system with a limit");
        buffer.bytes().clear().put(new byte[10]);
        try (RegularFile file = tree.openFile(at("a"), WRITE, 0644)) {
            assertThat(file.writeNow(buffer, 10, largest - 3)).isEqualTo(RegularFile.WOULD_WAIT);
            assertThat(before - quota.freeBytes()).isEqualTo(file.attributes().size());
            assertRefused(Errno.EFBIG, () -> file.write(buffer, 10, largest - 3));
            assertThat(before - quota.freeBytes())
                    .isEqualTo(file.attributes().size())
                    .isEqualTo(largest);
        }
    }

    /** By bisection of what a file can be cut to. */
    private long largestFile() throws IOException {
        try (RegularFile file = tree.openFile(at("a"), WRITE, 0644)) {
            long fits = 0;
            long doesNot = Long.MAX_VALUE;
            while (doesNot - fits > 1) {
                long middle = fits + (doesNot - fits) / 2;
                try {
                    file.change(new Tree.Change(middle, -1, 0, 0, false));
                    fits = middle;
                } catch (FileFailure tooLarge) {
                    doesNot = middle;
                }
            }
            file.change(new Tree.Change(0, -1, 0, 0, false));
            return fits;
        }
    }
}
