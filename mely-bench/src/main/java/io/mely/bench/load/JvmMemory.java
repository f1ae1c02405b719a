// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.load;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a JVM uses once its garbage is collected, by its own word ({@code jcmd}). It must run with {@link #OPTION}.
 *
 * @param heapBytes of live objects
 * @param nativeBytes of everything else that the JVM counts: direct buffers, classes, code, threads, the collector
 * @param directBytes of direct buffers, a part of these
 */
record JvmMemory(long heapBytes, long nativeBytes, long directBytes) {
    static final String OPTION = "-XX:NativeMemoryTracking=summary";

    private static final Pattern LIVE = Pattern.compile("(?m)^Total +\\d+ +(\\d+)");
    private static final Pattern ALL = committed("Total: ");
    private static final Pattern HEAP = committed("Java Heap \\(");
    private static final Pattern OTHER = committed("Other \\(");

    private static Pattern committed(String what) {
        return Pattern.compile(what + "reserved=\\d+KB, committed=(\\d+)KB");
    }

    /**
     * Collects garbage and asks.
     *
     * @param java the program that runs it; {@code jcmd} lies beside it
     * @param pid of the process
     * @throws IOException if it does not answer
     */
    static JvmMemory of(String java, long pid) throws IOException, InterruptedException {
        // Twice: what the first finds dead may have kept native memory that its cleaner gives back.
        jcmd(java, pid, "GC.run");
        long heap = number(LIVE, jcmd(java, pid, "GC.class_histogram"));
        String summary = jcmd(java, pid, "VM.native_memory", "summary", "scale=KB");
        long all = number(ALL, summary) - number(HEAP, summary);
        return new JvmMemory(heap, all << 10, number(OTHER, summary) << 10);
    }

    private static long number(Pattern pattern, String text) throws IOException {
        Matcher found = pattern.matcher(text);
        if (!found.find()) {
            throw new IOException("jcmd says nothing of " + pattern + ": " + text);
        }
        return Long.parseLong(found.group(1));
    }

    private static String jcmd(String java, long pid, String... command) throws IOException, InterruptedException {
        Path program = Path.of(java).resolveSibling("jcmd");
        List<String> words = new ArrayList<>(List.of(program.toString(), Long.toString(pid)));
        words.addAll(List.of(command));
        Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IOException(String.join(" ", words) + ": " + text);
        }
        return text;
    }
}
