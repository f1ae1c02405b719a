// SPDX-License-Identifier: Apache-2.0
package io.mely.images;

import com.typesafe.config.ConfigRenderOptions;
import com.typesafe.config.ConfigValueFactory;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** Writes JSON of maps, lists, texts and numbers. */
final class Json {
    private Json() {}

    static byte[] of(Map<String, ?> object) {
        String text = ConfigValueFactory.fromMap(object).render(ConfigRenderOptions.concise());
        return (text + "\n").getBytes(StandardCharsets.UTF_8);
    }
}
