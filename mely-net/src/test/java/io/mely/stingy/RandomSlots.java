// SPDX-License-Identifier: Apache-2.0
package io.mely.stingy;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;

/** Takes and gives back at random, by a plan at random, beside a model that is a map. Null if all is right; else what is wrong. */
public final class RandomSlots implements Callable<String> {
    private static final int STEPS = 4_000;
    private static final int VALIDATE_INTERVAL = 50;

    private final Random random;
    private final StingyPlan plan;
    private final Slots[] bySite;
    private final Map<Integer, Integer> live = new HashMap<>(); // site by offset
    private final boolean[] lines;

    /** Its plan and its steps are the seed's. */
    public RandomSlots(Long seed) {
        random = new Random(seed);
        plan = randomPlan();
        bySite = Slots.of(plan);
        lines = new boolean[(int) (plan.bytes() / StingyPlan.LINE_BYTES)];
    }

    private StingyPlan randomPlan() {
        StingyPlan.Builder builder = StingyPlan.builder(StingyPlan.REGION_BYTES_MAX);
        int sites = 1 + random.nextInt(6);
        for (int i = 0; i < sites; i++) {
            int count = 1 + random.nextInt(40);
            int own = random.nextInt(Math.min(count, 3) + 1);
            builder.site("s" + i, 1 + random.nextInt(700), count, random.nextInt(3), own);
        }
        return builder.build();
    }

    @Override
    public String call() {
        try {
            for (int i = 0; i < STEPS; i++) {
                step();
                if (i % VALIDATE_INTERVAL == 0) {
                    validate();
                }
            }
            for (int offset : new ArrayList<>(live.keySet())) {
                give(offset);
            }
            for (int site = 0; site < bySite.length; site++) {
                check(bySite[site].available(site) == plan.sites().get(site).count(), "all is given back");
            }
            validate();
            return null;
        } catch (AssertionError | RuntimeException e) {
            return e.toString();
        }
    }

    private void step() {
        int dice = random.nextInt(100);
        if (dice < 50) {
            take(random.nextInt(bySite.length));
        } else if (!live.isEmpty()) {
            List<Integer> offsets = new ArrayList<>(live.keySet());
            int offset = offsets.get(random.nextInt(offsets.size()));
            int site = live.get(offset);
            give(offset);
            if (dice > 95) {
                giveAgain(site, offset);
            }
        }
    }

    private void take(int site) {
        int available = bySite[site].available(site);
        int offset = bySite[site].take(site);
        check((offset != Slots.NONE) == available > 0, "available says what take does");
        if (offset != Slots.NONE) {
            mark(site, offset, true);
            live.put(offset, site);
        }
        long count = live.values().stream().filter(each -> each == site).count();
        check(count == bySite[site].taken(site), "taken is what is live");
        check(count <= plan.sites().get(site).count(), "more than there are");
    }

    private void mark(int site, int offset, boolean isLive) {
        check(offset % StingyPlan.LINE_BYTES == 0, "begins at a line");
        int first = offset / StingyPlan.LINE_BYTES;
        for (int i = 0; i < plan.sites().get(site).slotBytes() / StingyPlan.LINE_BYTES; i++) {
            check(lines[first + i] != isLive, "two overlap");
            lines[first + i] = isLive;
        }
    }

    private void give(int offset) {
        int site = live.remove(offset);
        mark(site, offset, false);
        check(bySite[site].give(offset) == site, "goes back to its site");
    }

    private void giveAgain(int site, int offset) {
        int before = bySite[site].taken(site);
        try {
            int unused = bySite[site].give(offset);
        } catch (IllegalStateException e) {
            check(bySite[site].taken(site) == before, "a refused free changes nothing");
            return;
        }
        throw new AssertionError("freed twice, and nobody notices");
    }

    private void validate() {
        for (Slots slots : bySite) {
            slots.validate();
        }
    }

    private static void check(boolean isTrue, String what) {
        if (!isTrue) {
            throw new AssertionError(what);
        }
    }
}
