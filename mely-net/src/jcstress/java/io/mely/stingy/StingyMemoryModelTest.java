// SPDX-License-Identifier: Apache-2.0
package io.mely.stingy;

import io.mely.MemoryModelContract;

// The cases of the regions.
class StingyMemoryModelTest extends MemoryModelContract {}
