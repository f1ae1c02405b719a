// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http;

/**
 * How much a request head may take.
 *
 * @param requestLineBytesMax longest request line without its line end; longer is 414
 * @param headBytesMax longest head with all line ends; longer is 431
 * @param fieldCountMax most header fields; more is 431
 */
public record HeadLimits(int requestLineBytesMax, int headBytesMax, int fieldCountMax) {}
