// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stages;

import com.typesafe.config.ConfigFactory;
import io.mely.Color;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.pekko.actor.AbstractActor;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.actor.Props;
import scala.concurrent.Await;
import scala.concurrent.duration.Duration;

/** Pekko: what a stage sends is a message to the actor of the client, on the default dispatcher with as many threads as cores. */
final class PekkoPeer {
    private static final int ACTORS = 1_024;
    private static final int PATIENCE_S = 60;

    private final ActorSystem system;
    private final ActorRef[] actors = new ActorRef[ACTORS];

    private static final class Runner extends AbstractActor {
        @Override
        public Receive createReceive() {
            return receiveBuilder().match(Runnable.class, Runnable::run).build();
        }
    }

    PekkoPeer(int cores) {
        system = ActorSystem.create(
                "stages", ConfigFactory.parseString("""
                                pekko.loglevel = "ERROR"
                                pekko.log-dead-letters = off
                                pekko.actor.default-dispatcher.fork-join-executor { parallelism-min = %1$d, parallelism-max = %1$d }
                                """.formatted(cores)).withFallback(ConfigFactory.load()));
        for (int i = 0; i < ACTORS; i++) {
            actors[i] = system.actorOf(Props.create(Runner.class, Runner::new));
        }
    }

    Contender contender() {
        return new Peer(Runnable::run, this::hop, this::stop);
    }

    private void hop(Color color, Runnable event) {
        actors[color.slot() % ACTORS].tell(event, ActorRef.noSender());
    }

    private void stop() {
        try {
            Await.ready(system.terminate(), Duration.create(PATIENCE_S, TimeUnit.SECONDS));
        } catch (TimeoutException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
