// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.paper;

import com.typesafe.config.ConfigFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.pekko.actor.AbstractActor;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.actor.Props;
import scala.concurrent.Await;
import scala.concurrent.duration.Duration;

/** An actor per key on Pekko's default dispatcher. */
final class PekkoActors implements KeyedExecutor {
    private final ActorSystem system;
    private final ActorRef[] actors;

    private static final class Runner extends AbstractActor {
        @Override
        public Receive createReceive() {
            return receiveBuilder().match(Runnable.class, Runnable::run).build();
        }
    }

    PekkoActors(Setup setup) {
        system = ActorSystem.create(
                "pekko",
                ConfigFactory.parseString("""
                                pekko.loglevel = "ERROR"
                                pekko.log-dead-letters = off
                                pekko.actor.default-dispatcher.fork-join-executor { parallelism-min = %1$d, parallelism-max = %1$d }
                                """.formatted(setup.workers())).withFallback(ConfigFactory.load()));
        actors = new ActorRef[setup.keys()];
        for (int key = 0; key < actors.length; key++) {
            actors[key] = system.actorOf(Props.create(Runner.class, Runner::new));
        }
    }

    @Override
    public void execute(int key, int kind, Runnable event) {
        actors[key].tell(event, ActorRef.noSender());
    }

    @Override
    public boolean hasTimers() {
        return true;
    }

    @Override
    public Cancel schedule(int key, int kind, long delayNs, Runnable event) {
        return system.scheduler()
                .scheduleOnce(
                        java.time.Duration.ofNanos(delayNs),
                        actors[key],
                        event,
                        system.dispatcher(),
                        ActorRef.noSender())::cancel;
    }

    @Override
    public void close() {
        try {
            Await.ready(system.terminate(), Duration.create(60, TimeUnit.SECONDS));
        } catch (TimeoutException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
