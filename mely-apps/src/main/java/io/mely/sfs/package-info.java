// SPDX-License-Identifier: Apache-2.0
/**
 * SFS, an encrypted file server: SFTP over SSH, each client in a color of its own. {@link io.mely.sfs.SfsServer} starts one; {@link io.mely.sfs.SfsConfig} is what it is told, by {@link io.mely.sfs.SfsSettings}.
 *
 * <p>A client's color receives and decrypts, runs requests that need not wait for the disk, encrypts and sends. Requests that may wait run in {@link io.mely.Mely#blocking}. Those that change a file, or a name of a user, take
 * turns in a color of that file or name.
 */
@NullMarked
package io.mely.sfs;

import org.jspecify.annotations.NullMarked;
