// SPDX-License-Identifier: Apache-2.0
package io.mely.deploy.stingy;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * How many instances of each object there may be, where they are in the region, and what each stage allocates and frees of them.
 *
 * <p><b>Units.</b> Bytes. <b>Source.</b> spec: Stingy §3, §4.
 *
 * @param regionBytes size of the region
 * @param lineBytes every area and instance begins at a multiple of this
 * @param objects the number of each is its place in this list
 * @param stages by name; what is not managed is left out
 * @param unmanaged objects that stay with the ordinary allocator, and why
 */
public record MemoryPlan(
        long regionBytes,
        int lineBytes,
        List<PlannedObject> objects,
        List<StageUse> stages,
        SortedMap<String, String> unmanaged) {
    /**
     * A part of the region.
     *
     * @param offset in the region
     * @param bytes all of it
     */
    public record Area(long offset, long bytes) {}

    /**
     * An object.
     *
     * @param name of its allocation site
     * @param sizeBytes declared: what is smaller is served
     * @param count most instances at once
     * @param ownCount of these so many are one request's
     * @param area number of its area
     * @param place where it is in the program, for people; may be empty
     */
    public record PlannedObject(String name, long sizeBytes, int count, int ownCount, int area, String place) {}

    /**
     * What one event of a stage does.
     *
     * @param name of the stage
     * @param allocs instances that it waits for, by object
     * @param mayAlloc instances that it allocates without waiting for them, by object: the request may have them already, and must not wait for what it has
     * @param frees instances at most, by object
     */
    public record StageUse(
            String name,
            SortedMap<String, Integer> allocs,
            SortedMap<String, Integer> mayAlloc,
            SortedMap<String, Integer> frees) {
        /** Copies the maps. */
        public StageUse {
            allocs = new TreeMap<>(allocs);
            mayAlloc = new TreeMap<>(mayAlloc);
            frees = new TreeMap<>(frees);
        }
    }

    /** Copies the collections. */
    public MemoryPlan {
        objects = List.copyOf(objects);
        stages = List.copyOf(stages);
        unmanaged = new TreeMap<>(unmanaged);
    }

    /**
     * The areas, by number: they follow each other. The objects of an area never live together in one request.
     *
     * @return empty ones for numbers that no object has
     */
    public List<Area> areas() {
        int numbers = objects.stream().mapToInt(PlannedObject::area).max().orElse(-1) + 1;
        List<Area> areas = new ArrayList<>();
        long offset = 0;
        for (int number = 0; number < numbers; number++) {
            AreaSize size = new AreaSize();
            for (PlannedObject object : objects) {
                if (object.area == number) {
                    size.add(AreaSize.slotBytes(object.sizeBytes, lineBytes), object.ownCount, object.count);
                }
            }
            areas.add(new Area(offset, size.bytes()));
            offset += size.bytes();
        }
        return areas;
    }

    /**
     * What all areas take.
     *
     * @return bytes, at most the region in a plan that can be used
     */
    public long usedBytes() {
        return areas().stream().mapToLong(Area::bytes).sum();
    }
}
