// SPDX-License-Identifier: Apache-2.0
/**
 * SFTP, version 3 (draft-ietf-secsh-filexfer-02) with the extensions of OpenSSH: packets, handles and requests. Knows nothing of SSH: bytes come in, bytes go out.
 *
 * <p><b>Happens-before.</b> A session belongs to its color, except while a request of it runs on a blocking thread or in the color of what it changes: then nothing else touches it.
 */
@NullMarked
package io.mely.sfs.sftp;

import org.jspecify.annotations.NullMarked;
