// SPDX-License-Identifier: Apache-2.0
package io.mely.cli;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Settings as they are written down, one below the other: a field of its owner for each, whose initializer says all there is to say. Their order is that of the reference.
 *
 * <p><b>Threads.</b> Filled by the initializer of a class.
 */
public final class SettingList {
    private final List<Setting<?>> all = new ArrayList<>();

    /** Begins a setting; see {@link Setting#of}. */
    public <T> Setting.Draft<T> of(String key, String unit, ValueType<T> type) {
        return new Setting.Draft<>(key, unit, type, false, Setting.Scope.START, all::add);
    }

    /** Begins one that is a number, from the least to the most. */
    public Setting.Draft<Integer> count(String key, String unit, int min, int max) {
        return of(key, unit, ValueTypes.count(min, max));
    }

    /** Begins one that is a size in bytes. */
    public Setting.Draft<Long> size(String key, long min, long max) {
        return of(key, "size", ValueTypes.size(min, max));
    }

    /** Begins one that is a time. */
    public Setting.Draft<Duration> time(String key, Duration min, Duration max) {
        return of(key, "time", ValueTypes.time(min, max));
    }

    /** Begins one that is on or off. */
    public Setting.Draft<Boolean> yesOrNo(String key) {
        return of(key, "true or false", ValueTypes.yesOrNo());
    }

    /** Takes one that is another list's, too, or none's. */
    public <T> Setting<T> add(Setting<T> shared) {
        all.add(shared);
        return shared;
    }

    /** Those that there are by now, and others behind them. */
    public List<Setting<?>> and(Setting<?>... others) {
        return Stream.concat(all.stream(), Stream.of(others)).toList();
    }

    /** Those that there are by now. */
    public List<Setting<?>> all() {
        return List.copyOf(all);
    }
}
