// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import io.mely.net.ColoredListener;
import io.mely.net.CoreEventLoopGroup;
import io.mely.net.ListenOptions;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Opens the sockets that a server listens at: those it has inherited, else a Unix socket, else its address.
 *
 * <p><b>Threads.</b> That of the start.
 */
final class ServerSockets {
    private final SwsConfig config;
    private final SwsStages stages;
    private final CoreEventLoopGroup group;
    private final List<ColoredListener> open = new ArrayList<>();
    private @Nullable InetSocketAddress redirectAddress;

    ServerSockets(SwsConfig config, SwsStages stages, CoreEventLoopGroup group) {
        this.config = config;
        this.stages = stages;
        this.group = group;
    }

    /** How many acceptors there are to be, those for redirects apart. */
    static int count(SwsConfig config, List<InheritedSocket> inherited, int cores) {
        if (!inherited.isEmpty()) {
            return (int)
                    inherited.stream().filter(each -> !each.isRedirecting()).count();
        }
        return isPerCore(config, inherited) ? cores : 1;
    }

    /** Whether each core has a listener of its own, whose clients stay there. */
    static boolean isPerCore(SwsConfig config, List<InheritedSocket> inherited) {
        return inherited.isEmpty()
                && config.unixSocket() == null
                && config.get(SwsSettings.LISTENERS) == SwsConfig.Listeners.PER_CORE;
    }

    /** Opens all. */
    void open(List<InheritedSocket> inherited) throws IOException {
        UnixSocket unix = config.unixSocket();
        if (!inherited.isEmpty()) {
            adopt(inherited);
        } else if (unix != null) {
            Acceptor acceptor = stages.acceptors().get(0);
            ColoredListener listener = ColoredListener.listenUnix(
                    group,
                    unix.path(),
                    unix.permissions(),
                    options(),
                    acceptor.color().homeCore(),
                    each -> stages.onAcceptable(acceptor));
            acceptor.listen(listener);
            open.add(listener);
        } else {
            bind();
        }
        Acceptor redirector = stages.redirector();
        if (redirector != null && redirectAddress == null) {
            InetSocketAddress address = Objects.requireNonNull(config.redirectBind());
            redirectAddress = listen(redirector, address, options()).localAddress();
        }
    }

    private ListenOptions options() {
        return ListenOptions.defaults().withBacklog(config.get(SwsSettings.BACKLOG));
    }

    private void adopt(List<InheritedSocket> inherited) throws IOException {
        int next = 0;
        for (InheritedSocket each : inherited) {
            Acceptor acceptor = each.isRedirecting()
                    ? Objects.requireNonNull(stages.redirector())
                    : stages.acceptors().get(next++);
            ColoredListener listener = ColoredListener.adopt(
                    group, each.descriptor(), acceptor.color().homeCore(), known -> stages.onAcceptable(acceptor));
            acceptor.listen(listener);
            if (each.isRedirecting()) {
                redirectAddress = listener.localAddress();
            } else {
                open.add(listener);
            }
        }
    }

    /** A listener for each acceptor. With port 0 the first one gets a port, and the others the same. */
    private void bind() throws IOException {
        List<Acceptor> acceptors = stages.acceptors();
        boolean isShared = acceptors.size() > 1;
        if (isShared) {
            checkFree(config.bind());
        }
        InetSocketAddress address = config.bind();
        for (Acceptor acceptor : acceptors) {
            ColoredListener listener = listen(acceptor, address, options().withReusePort(isShared));
            address = listener.localAddress();
            open.add(listener);
        }
    }

    private ColoredListener listen(Acceptor acceptor, InetSocketAddress address, ListenOptions options)
            throws IOException {
        ColoredListener listener = ColoredListener.listen(
                group, address, options, acceptor.color().homeCore(), each -> stages.onAcceptable(acceptor));
        acceptor.listen(listener);
        return listener;
    }

    /** With SO_REUSEPORT another server of the same user would be no error, and take a part of the connections. */
    private static void checkFree(InetSocketAddress address) throws IOException {
        try (Socket probe = new Socket()) {
            probe.setReuseAddress(true);
            probe.bind(address);
        } catch (BindException e) {
            BindException failure = new BindException(e.getMessage() + ": " + address);
            failure.initCause(e);
            throw failure;
        }
    }

    /** Of the first one; of a Unix socket 127.0.0.1 without a port. */
    InetSocketAddress localAddress() {
        return open.get(0).localAddress();
    }

    /** Where all of them listen, each once. */
    List<String> names() {
        return open.stream().map(ColoredListener::name).distinct().toList();
    }

    /** Where clients are redirected; null if they are not. */
    @Nullable
    InetSocketAddress redirectAddress() {
        return redirectAddress;
    }
}
