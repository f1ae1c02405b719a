// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.rules;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The {@link GateRules} of a site, ready to be asked.
 *
 * <p>A file has more names than one: {@code /about} may be {@code /about.html}, {@code /dir/} is {@code /dir/index.html}, and a path that leads to nothing may be a fallback. Whoever
 * asks by one name must be let in by all names of each file that the request could lead to, so that no rule is passed by another name.
 *
 * <p><b>Threads.</b> Any. <b>Costs.</b> A comparison of each rule's beginning.
 */
public final class Gate {
    private final GateRules rules;
    private final Names names;
    private final List<Realm> realms; // of each login
    private final Map<String, Realm> byText = new HashMap<>();

    /**
     * How else a path may be answered.
     *
     * @param indexFiles of a folder
     * @param suffixes that are tried
     * @param codings ends of names that are another file's content, such as {@code .gz}
     * @param fallback the file for a path that leads to nothing; null = none
     */
    public record Names(
            List<String> indexFiles,
            List<String> suffixes,
            List<String> codings,
            UnaryOperator<@Nullable String> fallback) {}

    /**
     * Where a client is sent.
     *
     * @param status of the answer
     * @param location value of Location
     */
    public record Moved(int status, String location) {}

    /**
     * Reads the files of passwords.
     *
     * @param rules what is to hold
     * @param names of files
     * @param before realms of the rules that these replace: who was right there, by a hash that has not changed, still is
     * @throws IOException naming a file, its line, and what is wrong
     */
    public Gate(GateRules rules, Names names, Map<String, Realm> before) throws IOException {
        this.rules = rules;
        this.names = names;
        Map<Path, Htpasswd> files = new HashMap<>();
        realms = new ArrayList<>();
        for (LoginRule each : rules.logins()) {
            Htpasswd users = files.get(each.file());
            if (users == null) {
                users = Htpasswd.read(each.file());
                files.put(each.file(), users);
            }
            Htpasswd known = users;
            realms.add(byText.computeIfAbsent(
                    each.file() + " " + each.realm(), text -> new Realm(known, each.realm(), before.get(text))));
        }
    }

    /**
     * All realms, to be given to the rules that replace these.
     *
     * @return by file and name
     */
    public Map<String, Realm> realms() {
        return Map.copyOf(byText);
    }

    /**
     * Where the first rule that matches sends a client.
     *
     * @param path of the request, decoded
     * @param query with its question mark, ASCII
     * @return null if none does
     */
    public @Nullable Moved moved(String path, String query) {
        for (Redirect each : rules.redirects()) {
            String location = each.locationOf(path, query);
            if (location != null) {
                return new Moved(each.status(), location);
            }
        }
        return null;
    }

    /**
     * What is answered in place of a path.
     *
     * @param path of the request, decoded
     * @return of the first rule that matches; the same if none does
     */
    public String rewritten(String path) {
        for (Rewrite each : rules.rewrites()) {
            String other = each.pathOf(path);
            if (other != null) {
                return other;
            }
        }
        return path;
    }

    /**
     * Whether there are rules that keep somebody out.
     *
     * @return false if {@link #isOpenTo} and {@link #realmsOf} need not be asked
     */
    public boolean isGuarding() {
        return !rules.access().isEmpty() || !rules.logins().isEmpty();
    }

    /**
     * All names of each file that a request could lead to.
     *
     * @param path of the request, decoded
     * @param served {@link #rewritten} of it
     * @return both among them
     */
    public Set<String> namesOf(String path, String served) {
        Set<String> files = new LinkedHashSet<>();
        addFiles(files, served);
        String fallback = names.fallback().apply(served);
        if (fallback != null) {
            addFiles(files, fallback);
        }
        Set<String> all = new LinkedHashSet<>();
        all.add(path);
        for (String file : files) {
            addNames(all, file);
            for (String each : names.codings()) {
                if (file.endsWith(each)) {
                    addNames(all, without(file, each));
                }
            }
        }
        return all;
    }

    /** What is looked for by a name. */
    private void addFiles(Set<String> files, String name) {
        files.add(name);
        (name.endsWith("/") ? names.indexFiles() : names.suffixes()).forEach(each -> files.add(name + each));
    }

    /** By what a file is found. */
    private void addNames(Set<String> all, String file) {
        all.add(file);
        for (String each : names.indexFiles()) {
            if (file.endsWith("/" + each)) {
                all.add(without(file, each));
            }
        }
        for (String each : names.suffixes()) {
            if (file.endsWith(each) && !file.endsWith("/" + each)) {
                all.add(without(file, each));
            }
        }
    }

    private static String without(String name, String end) {
        return name.substring(0, name.length() - end.length());
    }

    /**
     * Whether an address may see what a request could lead to.
     *
     * @param all {@link #namesOf} it
     * @param client who asks
     * @param isClients false if it is the address of a proxy that has not named its client: then no rule allows it as one of a range
     * @return false: 403
     */
    public boolean isOpenTo(Set<String> all, InetAddress client, boolean isClients) {
        for (String name : all) {
            for (AccessRule each : rules.access()) {
                if (each.isFor(name, client, isClients)) {
                    if (!each.isAllowed()) {
                        return false;
                    }
                    break;
                }
            }
        }
        return true;
    }

    /**
     * Where a client must be known for what a request could lead to.
     *
     * @param all {@link #namesOf} it
     * @return none if it is open
     */
    public Set<Realm> realmsOf(Set<String> all) {
        Set<Realm> found = new LinkedHashSet<>();
        for (String name : all) {
            for (int i = 0; i < realms.size(); i++) {
                if (rules.logins().get(i).isFor(name)) {
                    found.add(realms.get(i));
                    break;
                }
            }
        }
        return found;
    }
}
