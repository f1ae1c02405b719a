// SPDX-License-Identifier: Apache-2.0
package io.mely.cli;

/** Says that a value is none of those that a setting may have, alone or beside the others. */
public final class SettingException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    private final transient Setting<?> setting;
    private final String reason;

    /**
     * Names the setting.
     *
     * @param setting whose value it is
     * @param value that is wrong
     * @param reason what is wrong with it, and what would do
     */
    public SettingException(Setting<?> setting, Object value, String reason) {
        super(setting.key() + "=" + Text.escape(String.valueOf(value)) + ": " + reason);
        this.setting = setting;
        this.reason = reason;
    }

    /** Whose value is wrong. */
    public Setting<?> setting() {
        return setting;
    }

    /** What is wrong with it, without its name. */
    public String reason() {
        return reason;
    }
}
