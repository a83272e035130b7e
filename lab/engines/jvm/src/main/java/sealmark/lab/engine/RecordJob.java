package sealmark.lab.engine;

import java.util.HashMap;
import java.util.Map;

/** The job that {@code prepare} asks for, if it is {@code record}. */
final class RecordJob {
    private static final String VIRTUAL = "4096-virtual";
    private static final Map<String, Integer> THREADS = new HashMap<>();

    static {
        THREADS.put("1-thread", 1);
        THREADS.put("2-threads", 2);
        THREADS.put("16-threads", 16);
        THREADS.put("256-threads", 256);
        THREADS.put(VIRTUAL, 4096);
    }

    final String algorithm;

    /** How many threads share the work. */
    final int threads;

    /** True if the threads are virtual ones of the JVM, not the system's. */
    final boolean virtual;

    final int bytes;
    final Recipe recipe;

    RecordJob(Ask prepare) throws Trouble {
        this(prepare.text("algorithm"), prepare.text("threads"), Job.length(prepare.number("bytes")),
                new Recipe(prepare.number("seed")));
    }

    RecordJob(String algorithm, String threads, int bytes, Recipe recipe) throws Trouble {
        if (!THREADS.containsKey(threads)) {
            throw Trouble.unsupported("job \"record\" has no threads \"" + threads + "\"");
        }
        this.algorithm = algorithm;
        this.threads = THREADS.get(threads);
        this.virtual = threads.equals(VIRTUAL);
        this.bytes = bytes;
        this.recipe = recipe;
    }
}
