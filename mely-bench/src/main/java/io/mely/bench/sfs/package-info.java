// SPDX-License-Identifier: Apache-2.0
/** The papers' experiment with an encrypted file server: clients that each read a large file, SFS beside OpenSSH's sshd. */
@NullMarked
package io.mely.bench.sfs;

import org.jspecify.annotations.NullMarked;
