// SPDX-License-Identifier: Apache-2.0
/** What applications have in common: the file that says under which policies their stages run. */
@NullMarked
package io.mely.deploy;

import org.jspecify.annotations.NullMarked;
