// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.files;

/**
 * How files below a root are made and found.
 *
 * @param followLinks whether a symbolic link inside the root leads on, its target seen from the root; else a path with a link in it is refused
 * @param fileMode permissions that a new file may have at most
 * @param folderMode permissions that a new folder may have at most
 */
public record FileRules(boolean followLinks, int fileMode, int folderMode) {}
