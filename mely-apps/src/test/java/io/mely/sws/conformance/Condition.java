// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.conformance;

import java.io.IOException;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Decides the conditions of {@link Expectation}, but for those about the connection. */
final class Condition {
    /** Asks the server for something more. */
    @FunctionalInterface
    interface Lookup {
        Reply get(String target) throws IOException;
    }

    private static final String TOKEN = "[!#$%&'*+.^_`|0-9A-Za-z-]+";
    private static final Pattern FIELD = Pattern.compile("(" + TOKEN + ")([=~])(.*)");
    private static final Pattern PRESENCE = Pattern.compile("([+-])(" + TOKEN + ")");
    private static final Pattern FOR_STATUS = Pattern.compile("\\?([0-9]{3}):(.*)");
    private static final Pattern DATE = Pattern.compile("(Mon|Tue|Wed|Thu|Fri|Sat|Sun), [0-3][0-9] "
            + "(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [0-9]{4} [0-2][0-9]:[0-5][0-9]:[0-6][0-9] GMT");

    /** None, a path that no browser takes for a host, or the host that was asked. */
    private static final Pattern SITE = Pattern.compile("|/([^/\\\\].*)?|(\\./)?[^/\\\\:]+/.*|https?://x(:[0-9]+)?/.*");

    private static final Set<String> WORDS = Set.of(
            "closed",
            "kept",
            "framed",
            "continue",
            "nocontinue",
            "nobody",
            "date",
            "like GET",
            "ranges",
            "onsite",
            "not later");

    private Condition() {}

    static boolean isKnown(String condition) {
        Matcher forStatus = FOR_STATUS.matcher(condition);
        return forStatus.matches()
                ? isKnown(forStatus.group(2))
                : WORDS.contains(condition)
                        || condition.matches("body#[0-9]+")
                        || FIELD.matcher(condition).matches()
                        || PRESENCE.matcher(condition).matches();
    }

    /** Null if it is met. */
    static @Nullable String check(String condition, Reply reply, String target, Lookup getter) throws IOException {
        Matcher forStatus = FOR_STATUS.matcher(condition);
        if (forStatus.matches()) {
            boolean isOfStatus = forStatus.group(1).equals(String.valueOf(reply.status()));
            return isOfStatus ? check(forStatus.group(2), reply, target, getter) : null;
        }
        return switch (condition) {
            case "closed", "kept", "framed", "nobody" -> null; // the runner looks at the connection
            case "continue" -> reply.interims().contains(100) ? null : "no 100 before the final response";
            case "nocontinue" -> reply.interims().isEmpty() ? null : "a 100 that nobody waits for";
            case "date" -> DATE.matcher(reply.value("Date")).matches() ? null : "Date: " + reply.value("Date");
            case "like GET" -> likeGet(reply, getter.get(target));
            case "onsite" ->
                SITE.matcher(reply.value("Location")).matches() ? null : "Location: " + reply.value("Location");
            case "not later" -> notLater(reply.value("Last-Modified"), reply.value("Date"));
            case "ranges" -> RangeCheck.check(reply, target);
            default -> checkValue(condition, reply);
        };
    }

    private static @Nullable String checkValue(String condition, Reply reply) {
        Matcher presence = PRESENCE.matcher(condition);
        if (presence.matches()) {
            boolean isWanted = presence.group(1).equals("+");
            return reply.has(presence.group(2)) == isWanted
                    ? null
                    : (isWanted ? "no field " : "a field ") + presence.group(2);
        }
        if (condition.startsWith("body#")) {
            int size = Integer.parseInt(condition.substring(5));
            return reply.body().length == size ? null : "body of " + reply.body().length + " bytes, not " + size;
        }
        Matcher field = FIELD.matcher(condition);
        if (!field.matches()) {
            throw new IllegalArgumentException("unknown condition: " + condition);
        }
        boolean isBody = field.group(1).equals("body");
        String value = isBody ? reply.text() : reply.value(field.group(1));
        boolean isMet = field.group(2).equals("=") ? value.equals(field.group(3)) : value.contains(field.group(3));
        return isMet ? null : field.group(1) + " is " + Wire.cut(value) + ", not " + field.group(3);
    }

    /** RFC 9110 9.3.2: the same fields, but for those that only writing the body would tell. */
    private static @Nullable String likeGet(Reply head, Reply get) {
        if (head.status() != get.status()) {
            return "status " + head.status() + ", GET has " + get.status();
        }
        for (String name : new String[] {"Content-Length", "Content-Type", "ETag", "Last-Modified", "Location"}) {
            if (!head.value(name).equals(get.value(name))) {
                return name + " is " + head.value(name) + ", GET has " + get.value(name);
            }
        }
        return names(head).equals(names(get)) ? null : "fields " + names(head) + ", GET has " + names(get);
    }

    /** RFC 9110 8.8.2.1: a server with a clock never says that a file was changed later than now. */
    private static @Nullable String notLater(String modified, String now) {
        if (modified.isEmpty()) {
            return null;
        }
        return instant(modified).isAfter(instant(now))
                ? "Last-Modified " + modified + " is later than Date " + now
                : null;
    }

    private static Instant instant(String date) {
        return DateTimeFormatter.RFC_1123_DATE_TIME.parse(date, Instant::from);
    }

    private static Set<String> names(Reply reply) {
        return reply.fields().stream()
                .map(Reply.Field::name)
                .collect(Collectors.toCollection(() -> new TreeSet<>(String.CASE_INSENSITIVE_ORDER)));
    }
}
