// SPDX-License-Identifier: Apache-2.0
package io.mely.search.corpus;

/**
 * Something that can be found.
 *
 * @param title one line
 * @param address where a result leads; empty if it leads nowhere
 * @param text without mark-up
 */
public record Page(String title, String address, String text) {}
