// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import static org.assertj.core.api.Assumptions.assumeThat;

import io.mely.sws.tls.TlsEngine;
import io.mely.sws.tls.TlsSettings;
import java.io.IOException;
import java.util.function.UnaryOperator;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** {@link SwsServerContract} by TLS, with each engine: a client cannot tell it from a server without. */
@ParameterizedClass
@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
class TlsSwsServerTest extends SwsServerContract {
    private final TlsEngine engine;

    TlsSwsServerTest(TlsEngine engine) {
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
}
