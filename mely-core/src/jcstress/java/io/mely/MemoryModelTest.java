// SPDX-License-Identifier: Apache-2.0
package io.mely;

// The cases of the runtime.
class MemoryModelTest extends MemoryModelContract {}
