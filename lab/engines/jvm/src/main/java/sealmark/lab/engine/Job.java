package sealmark.lab.engine;

/** The job that {@code prepare} asks for. */
public final class Job {
    /** The longest array that every JVM can make. */
    public static final int LONGEST_ARRAY = Integer.MAX_VALUE - 8;

    final String kind;
    final String algorithm;
    final boolean tuned;
    final int bytes;
    final Recipe recipe;

    Job(Ask prepare) throws Trouble {
        this(prepare.text("job"), prepare.text("algorithm", "none"), tuned(prepare.text("reuse", "tuned")),
                length(prepare.number("bytes")), new Recipe(prepare.number("seed")));
    }

    Job(String kind, String algorithm, boolean tuned, int bytes, Recipe recipe) {
        this.kind = kind;
        this.algorithm = algorithm;
        this.tuned = tuned;
        this.bytes = bytes;
        this.recipe = recipe;
    }

    private static boolean tuned(String reuse) throws Trouble {
        if (!reuse.equals("tuned") && !reuse.equals("as-written")) {
            throw Trouble.unsupported("this engine knows no reuse \"" + reuse + "\"");
        }
        return reuse.equals("tuned");
    }

    static int length(long bytes) throws Trouble {
        if (bytes > LONGEST_ARRAY) {
            throw Trouble.limited("a Java array holds at most " + LONGEST_ARRAY + " bytes");
        }
        return (int) bytes;
    }
}
