// SPDX-License-Identifier: Apache-2.0
/**
 * The files below a user's root, as Linux sees them: every call is relative to an open folder, so that no link, no race and no "..", leads
 * outside. Names are bytes, as they are for the kernel; nothing here knows SFTP.
 */
@NullMarked
package io.mely.sfs.files;

import org.jspecify.annotations.NullMarked;
