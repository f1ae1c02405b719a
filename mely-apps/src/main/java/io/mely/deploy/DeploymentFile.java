// SPDX-License-Identifier: Apache-2.0
package io.mely.deploy;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigParseOptions;
import com.typesafe.config.ConfigSyntax;
import io.mely.Deployment;
import io.mely.Policy;
import io.mely.StageOptions;
import io.mely.admission.Admission;
import io.mely.admission.Rates;
import io.mely.admission.ResponseTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Reads a file that says under which policies the stages of an application run: HOCON.
 *
 * <pre>
 *   groups {
 *     main { policy = cohort, service = gated }
 *     calls { policy = pass-through }
 *     disk { policy = pool-per-stage, threads = 2 }
 *   }
 *   stages {
 *     ParseRequest { group = calls }
 *     WriteFile { group = disk, capacity = 1000 }
 *     Accept { admission { controller = bound, target = 100 ms } }
 *   }
 * </pre>
 *
 * <p>Every key must be known, and so must every stage, group and policy; else the nearest known name is said.
 *
 * <p><b>Threads.</b> Not safe for use by several.
 */
public final class DeploymentFile {
    private static final int BYTES_MAX = 1 << 20;

    private final List<String> problems = new ArrayList<>();
    private final String file;
    private final Collection<String> stages;

    private DeploymentFile(String file, Collection<String> stages) {
        this.file = file;
        this.stages = stages;
    }

    /**
     * Reads a file.
     *
     * @param file its path
     * @param stages names of the application's stages
     * @return what it says
     * @throws DeploymentException naming file, line and key of each problem
     */
    public static Deployment read(Path file, Collection<String> stages) throws DeploymentException {
        String text;
        try {
            if (Files.size(file) > BYTES_MAX) {
                throw new DeploymentException(List.of(file + ": longer than 1 MiB"));
            }
            text = Files.readString(file);
        } catch (IOException e) {
            throw new DeploymentException(List.of(file + ": cannot be read: " + e));
        }
        return readText(file.toString(), text, stages);
    }

    /**
     * Reads a text.
     *
     * @param file the name to use in messages
     * @param text HOCON
     * @param stages names of the application's stages
     * @return what it says
     * @throws DeploymentException naming file, line and key of each problem
     */
    public static Deployment readText(String file, String text, Collection<String> stages) throws DeploymentException {
        return new DeploymentFile(file, stages).readAll(text);
    }

    private Deployment readAll(String text) throws DeploymentException {
        Config config;
        try {
            config = ConfigFactory.parseString(
                            text,
                            ConfigParseOptions.defaults()
                                    .setSyntax(ConfigSyntax.CONF)
                                    .setOriginDescription(file))
                    .resolve();
        } catch (ConfigException e) {
            throw new DeploymentException(List.of(String.valueOf(e.getMessage())));
        }
        Block root = new Block(file, "", config.root(), problems);
        Deployment deployment = new Deployment();
        Set<String> groups = new TreeSet<>(Set.of(StageOptions.GROUP_DEFAULT));
        Block ofGroups = root.block("groups");
        if (ofGroups != null) {
            groups.addAll(ofGroups.names());
            deployment = readGroups(ofGroups, deployment);
        }
        Block ofStages = root.block("stages");
        if (ofStages != null) {
            deployment = readStages(ofStages, groups, deployment);
        }
        root.end();
        if (!problems.isEmpty()) {
            throw new DeploymentException(problems);
        }
        return deployment;
    }

    private Deployment readGroups(Block block, Deployment before) {
        Deployment deployment = before;
        for (String name : block.names()) {
            Block group = block.block(name);
            if (group == null) {
                continue;
            }
            try {
                Policy policy = PolicyReader.read(group, stages);
                if (policy != null) {
                    deployment = deployment.withGroup(name, policy);
                }
            } catch (IllegalArgumentException e) {
                group.wrong("", String.valueOf(e.getMessage()));
            }
            group.end();
        }
        return deployment;
    }

    private Deployment readStages(Block block, Set<String> groups, Deployment before) {
        Deployment deployment = before;
        for (String name : block.names()) {
            if (!stages.contains(name)) {
                block.wrong(name, "unknown stage; the nearest is " + Nearest.to(name, stages));
                continue;
            }
            Block stage = block.block(name);
            if (stage != null) {
                deployment = readStage(name, stage, groups, deployment);
                stage.end();
            }
        }
        return deployment;
    }

    private Deployment readStage(String name, Block stage, Set<String> groups, Deployment before) {
        Deployment deployment = before;
        try {
            if (stage.has("group")) {
                String group = stage.word("group", "", groups, word -> word);
                deployment =
                        group == null ? deployment : deployment.withStage(name, options -> options.withGroup(group));
            }
            if (stage.has("capacity")) {
                int capacity = stage.number("capacity", 1);
                StageOptions unused = StageOptions.defaults().withCapacity(capacity); // checks it
                deployment = deployment.withStage(name, options -> options.withCapacity(capacity));
            }
            if (stage.has("priority")) {
                int priority = stage.number("priority", StageOptions.PRIORITY_DEFAULT);
                StageOptions unused = StageOptions.defaults().withPriority(priority); // checks it
                deployment = deployment.withStage(name, options -> options.withPriority(priority));
            }
            Block admission = stage.block("admission");
            if (admission != null) {
                Admission.Factory factory = readAdmission(admission);
                admission.end();
                deployment = factory == null
                        ? deployment
                        : deployment.withStage(name, options -> options.withAdmission(factory));
            }
        } catch (IllegalArgumentException e) {
            stage.wrong("", String.valueOf(e.getMessage()));
        }
        return deployment;
    }

    private static Admission.@Nullable Factory readAdmission(Block block) {
        return block.<Admission.Factory>word(
                "controller",
                "rate",
                List.of("rate", "bound", "direct", "pid", "mm1"),
                word -> readController(word, block));
    }

    private static Admission.Factory readController(String controller, Block block) {
        if (controller.equals("rate")) {
            double rate = block.decimal("rate", 1_000);
            double depth = block.decimal("depth", 10);
            Admission.Factory factory = Admission.rate(rate, depth);
            return factory;
        }
        Duration target = block.duration("target", Duration.ofMillis(100));
        if (controller.equals("bound")) {
            return ResponseTime.bound(target);
        }
        ResponseTime made = switch (controller) {
            case "direct" -> ResponseTime.direct(target);
            case "pid" -> ResponseTime.pid(target);
            default -> ResponseTime.mm1(target, block.number("threads", 1));
        };
        if (block.has("scale")) {
            made = made.withScale(block.decimal("scale", 1));
        }
        Block rates = block.block("rates");
        if (rates != null) {
            boolean isOpen = controller.equals("mm1"); // as without rates
            made = made.withRates(new Rates(
                    rates.decimal("start", isOpen ? Double.POSITIVE_INFINITY : 10),
                    rates.decimal("min", isOpen ? 0.5 : 0.05),
                    rates.decimal("max", isOpen ? Double.POSITIVE_INFINITY : 5_000),
                    rates.decimal("depth", isOpen ? 100 : 10)));
            rates.end();
        }
        return made;
    }
}
