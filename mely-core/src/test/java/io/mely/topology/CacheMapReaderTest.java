// SPDX-License-Identifier: Apache-2.0
package io.mely.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the reader makes of machines that are not described as they should be. */
class CacheMapReaderTest {
    private static final CpuSet EIGHT = CpuSet.range(0, 8);

    @TempDir
    Path temp;

    private final LogCapture log = new LogCapture();

    @AfterEach
    void closeLog() {
        log.close();
    }

    private Path smtFile(String name) {
        return Machines.build("smt", temp).resolve(CacheMapReader.CPU_FOLDER).resolve(name);
    }

    // A container sees a part of the machine; what it may not use is not in the map.
    @Test
    void read_cpusetOfALargerMachine_coversOnlyTheAllowedCpus() {
        CacheMap map = CacheMap.read(Machines.folder("container"), CpuSet.parse("2-3,6"));

        assertThat(log.messages()).isEmpty();
        assertThat(map.cpus()).hasToString("2-3,6");
        assertThat(map.distance(2, 3)).isEqualTo(Distance.SMT_SIBLING);
        assertThat(map.distance(2, 6)).isEqualTo(Distance.SHARED_L3);
    }

    @Test
    void read_allowedButOffline_isLeftOutWithOneWarning() {
        CacheMap map = CacheMap.read(Machines.folder("container"), CpuSet.parse("4-9"));

        assertThat(map.cpus()).hasToString("4,6");
        assertThat(log.messages()).singleElement().asString().contains("left out: cpus=5,7-9");
    }

    @Test
    void read_nothingAllowedIsOnline_takesTheAllowedAsTheyAre() {
        CacheMap map = CacheMap.read(Machines.folder("container"), CpuSet.of(5, 100));

        assertThat(map.cpus()).hasToString("5,100");
        assertThat(map.distance(5, 100)).isEqualTo(Distance.SAME_PACKAGE);
        assertThat(log.messages()).singleElement().asString().contains("no allowed CPU is online");
    }

    // Caches half missing, half garbage: the good half does not count either, packages and siblings do.
    @Test
    void read_unreadableCaches_keepsPackagesAndSiblings() {
        CacheMap map = CacheMap.read(Machines.folder("unreadable"), CpuSet.range(0, 4));

        assertThat(map.distance(0, 1)).isEqualTo(Distance.SMT_SIBLING);
        assertThat(map.distance(1, 2)).isEqualTo(Distance.OTHER_PACKAGE);
        assertThat(map.cpu(0).caches()).isEmpty();
        assertThat(log.messages())
                .singleElement()
                .asString()
                .startsWith("WARNING Cache map: ")
                .contains("level holds no whole number: \"\\u001b[31mtwo\"")
                .contains("caches do not count");
    }

    @ParameterizedTest
    @CsvSource({
        "cpu3/cache/index2/level, 0",
        "cpu3/cache/index2/level, 99999999999999999999",
        "cpu3/cache/index2/size, big",
        "cpu3/cache/index2/shared_cpu_list, 0-",
        "cpu3/cache/index2/shared_cpu_list, 1",
    })
    void read_garbageInACache_dropsAllCachesWithOneWarning(String name, String garbage) {
        Machines.write(smtFile(name), garbage);

        CacheMap map = CacheMap.read(temp, EIGHT);

        assertThat(log.messages())
                .singleElement()
                .asString()
                .contains(Path.of(name).toString());
        assertThat(map.distance(0, 4)).isEqualTo(Distance.SMT_SIBLING);
        assertThat(map.distance(0, 1)).isEqualTo(Distance.SAME_PACKAGE);
    }

    @ParameterizedTest
    @CsvSource({
        "cpu2/topology/physical_package_id, zero",
        "cpu2/topology/thread_siblings_list, 0",
        "cpu2/topology/thread_siblings_list, 0-99999999",
    })
    void read_garbageInTheTopology_givesAFlatMapWithOneWarning(String name, String garbage) {
        Machines.write(smtFile(name), garbage);

        assertFlat(CacheMap.read(temp, EIGHT), name);
    }

    @ParameterizedTest
    @ValueSource(strings = {"cpu7/topology/physical_package_id", "cpu0/topology/thread_siblings_list"})
    void read_missingTopology_givesAFlatMapWithOneWarning(String name) throws IOException {
        Files.delete(smtFile(name));

        assertFlat(CacheMap.read(temp, EIGHT), name);
    }

    private void assertFlat(CacheMap map, String name) {
        assertThat(log.messages())
                .singleElement()
                .asString()
                .contains(Path.of(name).toString())
                .contains("equally far apart: cpus=0-7");
        assertThat(map.distance(0, 4)).isEqualTo(Distance.SAME_PACKAGE);
        assertThat(map.distance(0, 1)).isEqualTo(Distance.SAME_PACKAGE);
    }

    // A file without an end must not fill the heap, and a folder is no file.
    @Test
    void read_giantFile_isNotReadWhole() throws IOException {
        Path file = smtFile("cpu1/topology/physical_package_id");
        Files.write(file, new byte[Texts.BYTES_MAX + 1]);

        CacheMap.read(temp, EIGHT);
        assertThat(log.messages()).singleElement().asString().contains("larger than 65536 bytes");

        Files.delete(file);
        Files.createDirectory(file);
        CacheMap.read(temp, EIGHT);
        assertThat(log.messages()).hasSize(2).last().asString().contains("is not a regular file");
    }

    // Optional facts: without them the map is whole, and nobody is warned.
    @Test
    void read_noSizes_isQuiet() throws IOException {
        Machines.build("smt", temp);
        for (int cpu = 0; cpu < 8; cpu++) {
            Files.delete(temp.resolve(CacheMapReader.CPU_FOLDER).resolve("cpu" + cpu + "/cache/index3/size"));
        }

        CacheMap map = CacheMap.read(temp, EIGHT);

        assertThat(log.messages()).isEmpty();
        assertThat(map.cpu(0).caches().get(2).sizeBytes()).isZero();
        assertThat(map.distance(0, 1)).isEqualTo(Distance.SHARED_L3);
    }

    // Firmware that names no packages makes the kernel say -1.
    @Test
    void read_packageMinusOne_isThePackage() {
        Machines.write(smtFile("cpu0/topology/physical_package_id"), "-1");

        CacheMap map = CacheMap.read(temp, EIGHT);

        assertThat(log.messages()).isEmpty();
        assertThat(map.cpu(0).packageId()).isZero();
    }

    // A root that a user named is refused at once when it cannot be one.
    @Test
    void read_wrongRoot_namesThePathAndWhatIsMissing() throws IOException {
        Path none = temp.resolve("none");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> CacheMap.read(none, EIGHT))
                .withMessageContaining("must be a directory")
                .withMessageContaining(none.toString());
        Path file = Files.createFile(temp.resolve("file"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> CacheMap.read(file, EIGHT))
                .withMessageContaining("must be a directory")
                .withMessageContaining(file.toString());
        assertThatIllegalArgumentException()
                .isThrownBy(() -> CacheMap.read(temp, EIGHT))
                .withMessageContaining("with a directory devices/system/cpu")
                .withMessageContaining(temp.toString());
    }

    @Test
    void read_nothingAllowed_isRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> CacheMap.read(Machines.folder("e5410x2"), CpuSet.of()))
                .withMessageContaining("one at least");
    }

    // Our own machine is nobody's choice: without /sys there is a flat map.
    @Test
    void reader_noSysfsAtAll_givesAFlatMap() {
        CacheMap map = new CacheMapReader(temp.resolve("none")).read(EIGHT);

        assertThat(map.cpus()).isEqualTo(EIGHT);
        assertThat(List.of(map.distance(0, 7), map.distance(3, 4))).containsOnly(Distance.SAME_PACKAGE);
        assertThat(log.messages()).hasSize(1);
    }
}
