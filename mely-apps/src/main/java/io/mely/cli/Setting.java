// SPDX-License-Identifier: Apache-2.0
package io.mely.cli;

import java.util.Objects;
import java.util.function.Consumer;

/**
 * One thing a user can set: what it is called, what it may be, what it does. The command line, the environment, a file and a program that has the server in it all use the
 * same one.
 *
 * <p><b>Threads.</b> Any; compared by identity.
 *
 * @param <T> type of its value
 */
public final class Setting<T> {
    private final Draft<T> draft;
    private final T defaultValue;
    private final String effect;

    private Setting(Draft<T> draft, T defaultValue, String effect) {
        this.draft = draft;
        this.defaultValue = Objects.requireNonNull(defaultValue, draft.key);
        this.effect = effect;
    }

    /** When a value may become another one. */
    public enum Scope {
        /** At the start of a server only. */
        START,
        /** By a reload, too. */
        RELOAD,
        /** By a reload, too; and each site of a server may have one of its own. */
        SITE
    }

    /**
     * Begins a setting that is in no list yet; {@link SettingList} has shorter ways.
     *
     * @param <T> type of its value
     * @param key name in a configuration file, lower case with dashes
     * @param unit of the value, for the reference
     * @param type what the value may be
     * @return to be completed
     */
    public static <T> Draft<T> of(String key, String unit, ValueType<T> type) {
        return new Draft<>(key, unit, type, false, Scope.START, made -> {});
    }

    /** Its name in a configuration file, such as {@code max-clients}. */
    public String key() {
        return draft.key;
    }

    /** Whether the command line has a flag for it. */
    public boolean isFlag() {
        return draft.isFlag;
    }

    /** Its flag, such as {@code --max-clients}, whether or not there is one. */
    public String flag() {
        return "--" + draft.key;
    }

    /** What it may be. */
    public ValueType<T> type() {
        return draft.type;
    }

    /** The unit of its value, in words. */
    public String unit() {
        return draft.unit;
    }

    /** When it may change. */
    public Scope scope() {
        return draft.scope;
    }

    /** Its value when nobody says anything. */
    public T defaultValue() {
        return defaultValue;
    }

    /** What it does. */
    public String effect() {
        return effect;
    }

    /**
     * Looks at a value that a program gives.
     *
     * @param value any
     * @return the value, or a copy that nobody else can change
     * @throws SettingException if it isn't allowed, saying what is
     */
    public T checked(T value) {
        T allowed = draft.type.checked(Objects.requireNonNull(value, draft.key));
        if (allowed == null) {
            throw new SettingException(this, value, "not allowed; allowed: " + draft.type.allowed());
        }
        return allowed;
    }

    @Override
    public String toString() {
        return draft.key;
    }

    /**
     * A setting that is being written down. It begins without a flag, and with a value that stays as it was at the start.
     *
     * <p><b>Threads.</b> Any; immutable. <b>Shape.</b> {@link #byDefault} comes next to last, {@link Sentence#says} last.
     *
     * @param <T> type of its value
     */
    public static final class Draft<T> {
        private final String key;
        private final String unit;
        private final ValueType<T> type;
        private final Consumer<Setting<T>> list;
        private final boolean isFlag;
        private final Scope scope;

        Draft(String key, String unit, ValueType<T> type, boolean isFlag, Scope scope, Consumer<Setting<T>> list) {
            this.key = key;
            this.unit = unit;
            this.type = type;
            this.isFlag = isFlag;
            this.scope = scope;
            this.list = list;
        }

        /** There is a flag of that name. */
        public Draft<T> asFlag() {
            return new Draft<>(key, unit, type, true, scope, list);
        }

        /** A reload takes it over. */
        public Draft<T> reloads() {
            return new Draft<>(key, unit, type, isFlag, Scope.RELOAD, list);
        }

        /** A reload takes it over, and each site of a server may have one of its own. */
        public Draft<T> ofSite() {
            return new Draft<>(key, unit, type, isFlag, Scope.SITE, list);
        }

        /** The value when nobody says anything. */
        public Sentence<T> byDefault(T value) {
            return effect -> {
                Setting<T> made = new Setting<>(this, value, effect);
                list.accept(made);
                return made;
            };
        }
    }

    /** What is left to say of a {@link Draft}. */
    @FunctionalInterface
    public interface Sentence<T> {
        /**
         * What it does.
         *
         * @param effect a sentence or two, for the reference
         * @return the setting
         */
        Setting<T> says(String effect);
    }
}
