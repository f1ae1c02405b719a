// SPDX-License-Identifier: Apache-2.0
package io.mely.bench;

import io.mely.bench.load.AbuseCommand;
import io.mely.bench.load.AttacksCommand;
import io.mely.bench.load.CompareCommand;
import io.mely.bench.load.IdleCommand;
import io.mely.bench.load.LoadCommand;
import io.mely.bench.load.NettyCommand;
import io.mely.bench.load.OverloadCommand;
import io.mely.bench.load.SoakCommand;
import io.mely.bench.load.StartCommand;
import io.mely.bench.load.TlsCommand;
import io.mely.bench.paper.PaperCommand;
import io.mely.bench.record.RecordCommand;
import io.mely.bench.sfs.SfsCommand;
import io.mely.bench.simulate.SimulateCommand;
import io.mely.bench.stages.AdmissionCommand;
import io.mely.bench.stages.DemandCommand;
import io.mely.bench.stages.StagesCommand;
import io.mely.bench.stingy.StingyCommand;
import java.util.Arrays;

/** Entrance of {@code benchmarks.jar}: commands by name; anything else is for JMH. */
public final class Main {
    static final String USAGE = """
            java -jar benchmarks.jar COMMAND [options]     each has --help
              paper      contenders times workloads, round by round: Mely, the papers' engines, peers
              steal      what a steal costs, by pending events
              load       a load generator for HTTP servers
              compare    servers side by side
              tls        the same over https, and by HTTP/2
              start      how long SWS takes to its first answer
              idle       what idle connections cost
              overload   what a server answers when there is too much to do
              admission  what a graph of stages answers in time when there is too much to do
              demand     cores that come and go with the load
              stages     the image and the search server under each policy of stages, beside peers
              netty      a Netty server some of whose requests are slow, by where its handler runs
              sfs        an encrypted file server beside OpenSSH's and on the papers' runtimes: clients that read a large file
              soak       good and hostile clients together, and what they leave behind
              attacks    good clients of SWS alone and beside each kind of attack
              abuse      the image and the search server between good and abusive clients
              record     SWS, and what its clients ask of it as a profile for simulate
              simulate   the runtime on machines of any size, in virtual cycles
              stingy     buffers that stay in the cache: a program's stages and buffers, a plan for them, what it brings, and a program that keeps it
            java -jar benchmarks.jar [JMH's options] REGEX  JMH's benchmarks: -l lists them, -h has the options""";

    private Main() {}

    /**
     * Runs what is asked for.
     *
     * @param args {@code paper}, {@code steal}, {@code load}, {@code compare}, {@code idle},
     *     {@code tls}, {@code start}, {@code overload}, {@code admission}, {@code demand}, {@code stages}, {@code netty}, {@code sfs}, {@code soak}, {@code attacks}, {@code abuse}, {@code record}, {@code simulate} or {@code stingy} and its options, or JMH's arguments
     * @throws Exception from JMH
     */
    public static void main(String[] args) throws Exception {
        String[] rest = args.length == 0 ? args : Arrays.copyOfRange(args, 1, args.length);
        switch (args.length == 0 ? "" : args[0]) {
            case "paper" -> System.exit(PaperCommand.execute(rest));
            case "steal" -> System.exit(StealCommand.execute(rest));
            case "load" -> System.exit(LoadCommand.execute(rest));
            case "tls" -> System.exit(TlsCommand.execute(rest));
            case "start" -> System.exit(StartCommand.execute(rest));
            case "compare" -> System.exit(CompareCommand.execute(rest));
            case "idle" -> System.exit(IdleCommand.execute(rest));
            case "overload" -> System.exit(OverloadCommand.execute(rest));
            case "admission" -> System.exit(AdmissionCommand.execute(rest));
            case "demand" -> System.exit(DemandCommand.execute(rest));
            case "stages" -> System.exit(StagesCommand.execute(rest));
            case "netty" -> System.exit(NettyCommand.execute(rest));
            case "sfs" -> System.exit(SfsCommand.execute(rest));
            case "soak" -> System.exit(SoakCommand.execute(rest));
            case "attacks" -> System.exit(AttacksCommand.execute(rest));
            case "abuse" -> System.exit(AbuseCommand.execute(rest));
            case "record" -> System.exit(RecordCommand.execute(rest));
            case "simulate" -> System.exit(SimulateCommand.execute(rest));
            case "stingy" -> System.exit(StingyCommand.execute(rest));
            case "--help", "help" -> System.out.println(USAGE);
            default -> org.openjdk.jmh.Main.main(args);
        }
    }
}
