// SPDX-License-Identifier: Apache-2.0
/** Who may come in, and what each may do: users, their keys and passwords, and addresses that tried too often. */
@NullMarked
package io.mely.sfs.users;

import org.jspecify.annotations.NullMarked;
