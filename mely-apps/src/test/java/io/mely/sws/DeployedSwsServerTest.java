// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.Deployment;
import io.mely.MelyStats;
import io.mely.MelyStats.CoreStats;
import io.mely.deploy.DeploymentException;
import io.mely.deploy.DeploymentFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** {@link SwsServerContract} under each deployment of {@code config/stages}. */
@Tag("deployments")
@ParameterizedClass
@MethodSource("files")
class DeployedSwsServerTest extends SwsServerContract {
    private final Deployment stages;

    DeployedSwsServerTest(Path file) throws DeploymentException {
        stages = DeploymentFile.read(file, SwsServer.stageNames());
    }

    static List<Path> files() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("../config/stages"))) {
            return files.sorted().toList();
        }
    }

    @Override
    SwsConfig.Transport transport() {
        return SwsConfig.Transport.AUTO;
    }

    @Test
    void handlers_runOnThreadsOfPools_whereThereAreSome() throws Exception {
        start();
        RawClient client = connect();
        assertThat(client.get("/a.html").response().status()).isEqualTo(200);
        client.close();
        await(() -> server.requestStats().open() == 0);
        server.close();
        MelyStats stats = server.stats();
        long ofCores = stats.cores().stream().mapToLong(CoreStats::run).sum();
        boolean hasPools = stages.threadsMax(SwsServer.stageNames()) > 0;
        assertThat(ofCores < stats.run()).isEqualTo(hasPools);
    }

    @Override
    void start(UnaryOperator<SwsConfig.Builder> change) throws IOException {
        super.start(builder -> change.apply(builder.stages(stages)));
    }
}
