// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stingy.walk;

import io.mely.deploy.Nearest;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What annotations say of places, and whether each place was met: a misspelled one would be lost without a word. */
final class Said {
    private final Annotations annotations;
    private final Set<String> met = new HashSet<>();

    Said(Annotations annotations) {
        this.annotations = annotations;
    }

    /** Bytes of a buffer; null if nothing is said. */
    @Nullable
    Integer size(String buffer) {
        return annotations.sizes().get(buffer);
    }

    /** Most instances of a buffer that a request has; 0 if nothing is said. */
    int count(String buffer) {
        return annotations.counts().getOrDefault(buffer, 0);
    }

    /** Stages that are sent to at a place; none if nothing is said. */
    List<String> sends(Site place) {
        return at("sends", annotations.sends(), place);
    }

    /** Buffers that are released at a place. */
    List<String> frees(Site place) {
        return at("frees", annotations.frees(), place);
    }

    /** Methods that run at a place. */
    List<String> calls(Site place) {
        return at("calls", annotations.calls(), place);
    }

    private List<String> at(String key, Map<String, List<String>> said, Site place) {
        met.add(key + " " + place);
        return said.getOrDefault(place.toString(), List.of());
    }

    /**
     * Looks for what means nothing.
     *
     * @throws IllegalArgumentException naming each place and name that is unknown
     */
    void check(Collection<String> stages, Collection<String> buffers, Collection<String> methods) {
        List<String> problems = new ArrayList<>();
        checkKnown("sizes", annotations.sizes().keySet(), buffers, problems);
        checkKnown("counts", annotations.counts().keySet(), buffers, problems);
        checkPlaces("sends", annotations.sends(), stages, problems);
        checkPlaces("frees", annotations.frees(), buffers, problems);
        checkPlaces("calls", annotations.calls(), methods, problems);
        if (!problems.isEmpty()) {
            throw new IllegalArgumentException(String.join(System.lineSeparator(), problems));
        }
    }

    private void checkPlaces(
            String key, Map<String, List<String>> said, Collection<String> known, List<String> problems) {
        said.forEach((place, names) -> {
            if (!met.contains(key + " " + place)) {
                problems.add("annotations: " + key + ": no stage does that at '" + place + "'");
            }
            checkKnown(key, names, known, problems);
        });
    }

    private static void checkKnown(
            String key, Collection<String> names, Collection<String> known, List<String> problems) {
        for (String name : names) {
            if (!known.contains(name)) {
                String hint = known.isEmpty() ? "there are none" : "the nearest is " + Nearest.to(name, known);
                problems.add("annotations: " + key + ": '" + name + "' is unknown; " + hint);
            }
        }
    }
}
