// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

/**
 * A listening socket that a service manager has opened for this process.
 *
 * @param descriptor its number
 * @param isRedirecting its clients are sent to where TLS is spoken
 */
public record InheritedSocket(int descriptor, boolean isRedirecting) {}
