// SPDX-License-Identifier: Apache-2.0
package io.mely.cli;

import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigIncludeContext;
import com.typesafe.config.ConfigIncluder;
import com.typesafe.config.ConfigIncluderClasspath;
import com.typesafe.config.ConfigIncluderFile;
import com.typesafe.config.ConfigIncluderURL;
import com.typesafe.config.ConfigObject;
import java.io.File;
import java.net.URL;

/** Refuses every {@code include}: a configuration is one file, and none is ever fetched from elsewhere. */
enum NoIncludes implements ConfigIncluder, ConfigIncluderFile, ConfigIncluderURL, ConfigIncluderClasspath {
    /** The only one. */
    INSTANCE;

    /** The word of HOCON. */
    static final String KEYWORD = "include";

    @Override
    public ConfigIncluder withFallback(ConfigIncluder fallback) {
        return this;
    }

    @Override
    public ConfigObject include(ConfigIncludeContext context, String what) {
        throw refusal();
    }

    @Override
    public ConfigObject includeFile(ConfigIncludeContext context, File what) {
        throw refusal();
    }

    @Override
    public ConfigObject includeURL(ConfigIncludeContext context, URL what) {
        throw refusal();
    }

    @Override
    public ConfigObject includeResources(ConfigIncludeContext context, String what) {
        throw refusal();
    }

    private static ConfigException refusal() {
        return new ConfigException.Generic("include is not supported: a configuration is one file");
    }
}
