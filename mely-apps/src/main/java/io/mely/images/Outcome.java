// SPDX-License-Identifier: Apache-2.0
package io.mely.images;

import io.mely.images.store.PictureId;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What became of an uploaded file.
 *
 * @param name of the file
 * @param status 201 there already, 202 decoded and in work, or why not
 * @param id of the picture; null if it is refused
 * @param error why it is refused; empty if it is not
 */
record Outcome(String name, int status, @Nullable PictureId id, String error) {
    static final int FINISHED = 201;
    static final int IN_WORK = 202;

    static Outcome refused(String name, int status, String error) {
        return new Outcome(name, status, null, error);
    }

    boolean isRefused() {
        return id == null;
    }

    Map<String, Object> toJson() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("name", name);
        json.put("status", status);
        if (id == null) {
            json.put("error", error);
        } else {
            json.put("id", id.text());
            json.put("address", "/images/" + id);
        }
        return json;
    }
}
