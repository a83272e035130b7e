package sealmark.lab.engine;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** What is measured over one span (spec/engine.md, "Time, CPU and memory"); what cannot be learned is left out. */
final class Meter {
    private static final Path PROCESS = Path.of("/proc/self");
    private static final String FORGET_THE_PEAK = "5";

    private Map<String, Long> cpu;
    private boolean knowsPeak;
    private Memory memory;
    private long started;
    private final Map<String, Object> measured = new HashMap<>();

    void start() {
        knowsPeak = forgetPeak();
        cpu = threads();
        memory = Memory.orNull();
        started = System.nanoTime();
    }

    void stop() {
        measured.put("wall_ns", System.nanoTime() - started);
        if (memory != null) {
            memory.report(measured);
        }
        reportCpu();
        if (knowsPeak) {
            reportPeak();
        }
    }

    void report(Map<String, Object> answer) {
        answer.putAll(measured);
    }

    private static boolean forgetPeak() {
        try {
            Files.writeString(PROCESS.resolve("clear_refs"), FORGET_THE_PEAK);
            return true;
        } catch (IOException | SecurityException error) {
            return false;
        }
    }

    private void reportPeak() {
        try {
            for (String line : Files.readAllLines(PROCESS.resolve("status"))) {
                if (line.startsWith("VmHWM:")) {
                    measured.put("peak_bytes", Long.parseLong(line.replaceAll("\\D", "")) * 1024);
                }
            }
        } catch (IOException | NumberFormatException error) {
            measured.remove("peak_bytes");
        }
    }

    private void reportCpu() {
        Map<String, Long> now = threads();
        if (now.isEmpty() || cpu.isEmpty()) {
            return;
        }
        long spent = 0;
        for (Map.Entry<String, Long> thread : now.entrySet()) {
            spent += thread.getValue() - cpu.getOrDefault(thread.getKey(), 0L);
        }
        measured.put("cpu_ns", spent);
    }

    /**
     * CPU time of each thread, the compiler's and the collector's too. The JVM's own figure for the process counts in
     * steps of 10 ms, more than a whole span.
     */
    private static Map<String, Long> threads() {
        Map<String, Long> threads = new HashMap<>();
        try (DirectoryStream<Path> tasks = Files.newDirectoryStream(PROCESS.resolve("task"))) {
            // Reading this brings the kernel's account of the running thread up to date.
            Files.readString(PROCESS.resolve("stat"), StandardCharsets.ISO_8859_1);
            for (Path task : tasks) {
                addThread(task, threads);
            }
        } catch (IOException | SecurityException error) {
            threads.clear();
        }
        return threads;
    }

    private static void addThread(Path task, Map<String, Long> threads) {
        try {
            String account = Files.readString(task.resolve("schedstat"));
            threads.put(task.getFileName().toString(), Long.valueOf(account.substring(0, account.indexOf(' '))));
        } catch (IOException | RuntimeException error) {
            // The thread has ended since the directory was read.
            threads.remove(task.getFileName().toString());
        }
    }
}
