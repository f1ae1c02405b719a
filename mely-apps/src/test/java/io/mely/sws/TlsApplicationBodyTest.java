// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import static org.assertj.core.api.Assumptions.assumeThat;

import io.mely.sws.tls.TlsEngine;
import io.mely.sws.tls.TlsSettings;
import java.io.IOException;
import java.util.function.UnaryOperator;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** {@link ApplicationBodyContract} by TLS, with each engine. */
@ParameterizedClass
@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
class TlsApplicationBodyTest extends ApplicationBodyContract {
    private final TlsEngine engine;

    TlsApplicationBodyTest(TlsEngine engine) {
        assumeThat(engine.isAvailable()).isTrue();
        this.engine = engine;
    }

    @Override
    SwsConfig.Transport transport() {
        return SwsConfig.Transport.AUTO;
    }

    @Override
    void start(UnaryOperator<SwsConfig.Builder> change) throws IOException {
        super.start(builder -> change.apply(
                builder.set(TlsSettings.CERTIFICATES, TlsFiles.certificates()).set(TlsSettings.ENGINE, engine)));
    }

    @Override
    RawClient dial(int receiveBytes) throws IOException {
        return new RawClient(server.localAddress(), receiveBytes, TlsFiles.clients());
    }

    /** No test here: bodies are counted behind TLS, and to encrypt as much as a third of the heap takes seconds. */
    @Override
    void memoryThatIsUsedUp_is503() {}
}
