// SPDX-License-Identifier: Apache-2.0
package io.mely.cli;

/**
 * One thing a user can set: what it is called, what it may be, what it does.
 *
 * <p><b>Threads.</b> Any; compared by identity.
 *
 * @param <T> type of its value
 */
public final class Setting<T> {
    private final String key;
    private final boolean isFlag;
    private final ValueType<T> type;
    private final String unit;
    private final T defaultValue;
    private final String effect;

    /**
     * Describes a setting.
     *
     * @param key name in a configuration file, lower case with dashes
     * @param isFlag whether there is a flag of that name
     * @param type what the value may be
     * @param unit of the value, for the reference
     * @param defaultValue value when nobody says anything
     * @param effect a sentence or two, for the reference
     */
    public Setting(String key, boolean isFlag, ValueType<T> type, String unit, T defaultValue, String effect) {
        this.key = key;
        this.isFlag = isFlag;
        this.type = type;
        this.unit = unit;
        this.defaultValue = defaultValue;
        this.effect = effect;
    }

    /** Its name in a configuration file, such as {@code max-clients}. */
    public String key() {
        return key;
    }

    /** Whether the command line has a flag for it. */
    public boolean isFlag() {
        return isFlag;
    }

    /** Its flag, such as {@code --max-clients}, whether or not there is one. */
    public String flag() {
        return "--" + key;
    }

    /** What it may be. */
    public ValueType<T> type() {
        return type;
    }

    /** The unit of its value, in words. */
    public String unit() {
        return unit;
    }

    /** Its value when nobody says anything. */
    public T defaultValue() {
        return defaultValue;
    }

    /** What it does. */
    public String effect() {
        return effect;
    }

    @Override
    public String toString() {
        return key;
    }
}
