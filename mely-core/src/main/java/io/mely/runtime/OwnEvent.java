// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

/** An event that the runtime has made for itself. What it stands for has another way to be told of a close. */
interface OwnEvent extends Runnable {}
