// SPDX-License-Identifier: Apache-2.0
/** The record of who did what. */
@NullMarked
package io.mely.sfs.audit;

import org.jspecify.annotations.NullMarked;
