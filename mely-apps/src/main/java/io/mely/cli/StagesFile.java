// SPDX-License-Identifier: Apache-2.0
package io.mely.cli;

import io.mely.Deployment;
import io.mely.deploy.DeploymentException;
import io.mely.deploy.DeploymentFile;
import java.nio.file.Path;
import java.util.Collection;

/**
 * Reads the file that {@link CommonSettings#STAGES} names.
 *
 * <p><b>Threads.</b> Any.
 */
public final class StagesFile {
    private StagesFile() {}

    /**
     * The deployment of a program.
     *
     * @param values of all sources
     * @param stages names of the program's stages
     * @param byDefault if no file is named
     * @return what the file says
     * @throws UsageException saying all that is wrong with it
     */
    public static Deployment read(Values values, Collection<String> stages, Deployment byDefault)
            throws UsageException {
        String file = values.get(CommonSettings.STAGES);
        if (file.isEmpty()) {
            return byDefault;
        }
        try {
            return DeploymentFile.read(Path.of(file), stages);
        } catch (DeploymentException wrong) {
            throw new UsageException(wrong.problems().stream().map(Text::escape).toList());
        }
    }
}
