package sealmark.lab.app;

import com.google.gson.JsonObject;
import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Measures one span (spec/engine.md, "Time, CPU and memory"); a figure that cannot be learned is left out. */
final class Meter {
    private static final Path PROCESS = Path.of("/proc/self");
    private static final String FORGET_THE_PEAK = "5";
    private static final long BYTES_A_MEBIBYTE = 1 << 20;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final Map<String, Long> measured = new HashMap<>();
    private boolean knowsPeak;
    private Map<String, Long> cpu;
    private long clients;
    private long collecting;
    private Map<Long, Long> allocated;
    private long started;

    /** The JVM, the mode of its compiler, its collectors, the largest heap and its options, without names of files. */
    static String runtime() {
        List<String> told = new ArrayList<>(List.of(
                System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version"),
                System.getProperty("java.vm.info"),
                "heap of at most " + Runtime.getRuntime().maxMemory() / BYTES_A_MEBIBYTE + " MiB"));
        ManagementFactory.getGarbageCollectorMXBeans().forEach(collector -> told.add(collector.getName()));
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(option -> !option.startsWith("-D"))
                .forEach(told::add);
        return String.join(", ", told);
    }

    /** The clients' threads are counted in CPU time, and their share of it apart. */
    void start(List<Long> clientThreads) {
        knowsPeak = forgetPeak();
        allocated = allocatedByOthers(clientThreads);
        collecting = collectingMilliseconds();
        clients = cpuOf(clientThreads);
        cpu = cpuOfAll();
        started = System.nanoTime();
    }

    void stop(List<Long> clientThreads) {
        measured.put("wall_ns", System.nanoTime() - started);
        Map<String, Long> now = cpuOfAll();
        if (!now.isEmpty() && !cpu.isEmpty()) {
            measured.put("cpu_ns", sumOfDifferences(now, cpu));
        }
        measured.put("client_cpu_ns", cpuOf(clientThreads) - clients);
        measured.put("gc_ns", (collectingMilliseconds() - collecting) * 1_000_000);
        measured.put("allocated_bytes", sumOfDifferences(allocatedByOthers(clientThreads), allocated));
        if (knowsPeak) {
            reportPeak();
        }
    }

    void report(JsonObject answer) {
        measured.forEach(answer::addProperty);
    }

    private static <K> long sumOfDifferences(Map<K, Long> now, Map<K, Long> before) {
        return now.entrySet().stream().mapToLong(one -> one.getValue() - before.getOrDefault(one.getKey(), 0L)).sum();
    }

    /** Bytes allocated by each thread of the server. The clients' threads do not count, because no log runs in them. */
    private static Map<Long, Long> allocatedByOthers(List<Long> clientThreads) {
        Map<Long, Long> bytes = new HashMap<>();
        long own = Thread.currentThread().getId();
        for (long id : THREADS.getAllThreadIds()) {
            if (id != own && !clientThreads.contains(id)) {
                bytes.put(id, Math.max(0, THREADS.getThreadAllocatedBytes(id)));
            }
        }
        return bytes;
    }

    private static long cpuOf(List<Long> threads) {
        return threads.stream().mapToLong(THREADS::getThreadCpuTime).sum();
    }

    private static long collectingMilliseconds() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream()
                .mapToLong(GarbageCollectorMXBean::getCollectionTime).sum();
    }

    /**
     * CPU time of each of the process's threads, from the kernel's account: the JVM's own figure for the whole process
     * counts in steps of 10 ms.
     */
    private static Map<String, Long> cpuOfAll() {
        Map<String, Long> threads = new HashMap<>();
        try (DirectoryStream<Path> tasks = Files.newDirectoryStream(PROCESS.resolve("task"))) {
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
}
