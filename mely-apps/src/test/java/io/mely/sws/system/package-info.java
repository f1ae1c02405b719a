// SPDX-License-Identifier: Apache-2.0

/**
 * Black-box tests of the packaged {@code sws.jar}: a child JVM, real sockets, real signals.
 *
 * <p>Here belong {@code *SystemTest} classes and what they share: the process under test, clients, generated folders, and one
 * bounded wait. No test sleeps; each waits for a condition.
 */
package io.mely.sws.system;
