// SPDX-License-Identifier: Apache-2.0
/** SWS, the static web server: each connection a color. */
@NullMarked
package io.mely.sws;

import org.jspecify.annotations.NullMarked;
