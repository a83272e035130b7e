package sealmark.lab.engine;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.HashMap;
import java.util.Map;

/** Measures one span (spec/engine.md, "Time, CPU and memory"); a figure that cannot be learned is left out. */
public final class Meter {
    private static final Path PROCESS = Paths.get("/proc/self");
    private static final Path THIS_THREAD = Paths.get("/proc/thread-self");
    private static final byte[] FORGET_THE_PEAK = {'5'};

    private boolean knowsPeak;
    private Map<String, Long> others;
    private Management management;
    private long started;
    private final Map<String, Object> measured = new HashMap<>();

    public void start() {
        knowsPeak = forgetPeak();
        others = otherThreads();
        management = Management.orNull();
        started = System.nanoTime();
    }

    public void stop() {
        measured.put("wall_ns", System.nanoTime() - started);
        if (management != null) {
            long own = management.cpu();
            management.report(measured);
            reportCpu(own);
        }
        if (knowsPeak) {
            reportPeak();
        }
    }

    public void report(Map<String, Object> answer) {
        answer.putAll(measured);
    }

    private static boolean forgetPeak() {
        try {
            Files.write(PROCESS.resolve("clear_refs"), FORGET_THE_PEAK);
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

    private void reportCpu(long own) {
        Map<String, Long> now = otherThreads();
        if (now.isEmpty() || others.isEmpty()) {
            return;
        }
        long spent = own;
        for (Map.Entry<String, Long> thread : now.entrySet()) {
            spent += thread.getValue() - others.getOrDefault(thread.getKey(), 0L);
        }
        measured.put("cpu_ns", spent);
    }

    /**
     * CPU time of the JVM's other threads, its compilers and collectors, from the kernel's account: the JVM's own
     * figure for the whole process counts in steps of 10 ms, more than a whole span.
     */
    private static Map<String, Long> otherThreads() {
        Map<String, Long> threads = new HashMap<>();
        try (DirectoryStream<Path> tasks = Files.newDirectoryStream(PROCESS.resolve("task"))) {
            Path own = Files.readSymbolicLink(THIS_THREAD).getFileName();
            for (Path task : tasks) {
                if (!task.getFileName().equals(own)) {
                    addThread(task, threads);
                }
            }
        } catch (IOException | SecurityException error) {
            threads.clear();
        }
        return threads;
    }

    private static void addThread(Path task, Map<String, Long> threads) {
        try {
            String account = Files.readAllLines(task.resolve("schedstat")).get(0);
            threads.put(task.getFileName().toString(), Long.valueOf(account.substring(0, account.indexOf(' '))));
        } catch (IOException | RuntimeException error) {
            // The thread has ended since the directory was read.
            threads.remove(task.getFileName().toString());
        }
    }
}
