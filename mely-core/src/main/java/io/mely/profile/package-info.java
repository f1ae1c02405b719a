// SPDX-License-Identifier: Apache-2.0
/** What is known about a handler: annotations, and measurements that stand in for them. */
@NullMarked
package io.mely.profile;

import org.jspecify.annotations.NullMarked;
