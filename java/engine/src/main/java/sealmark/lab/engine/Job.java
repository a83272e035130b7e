package sealmark.lab.engine;

/** What {@code prepare} asks for. */
final class Job {
    /** The longest array that every JVM can make. */
    private static final int LONGEST_ARRAY = Integer.MAX_VALUE - 8;

    final String kind;
    final String algorithm;
    final boolean tuned;
    final int bytes;
    final Recipe recipe;

    Job(Ask prepare) throws Trouble {
        kind = prepare.text("job");
        algorithm = prepare.text("algorithm");
        tuned = tuned(prepare.text("shape"));
        bytes = length(prepare.number("bytes"));
        recipe = new Recipe(prepare.number("seed"));
    }

    private static boolean tuned(String shape) throws Trouble {
        if (!shape.equals("tuned") && !shape.equals("as-written")) {
            throw Trouble.unsupported("this engine knows no shape \"" + shape + "\"");
        }
        return shape.equals("tuned");
    }

    private static int length(long bytes) throws Trouble {
        if (bytes > LONGEST_ARRAY) {
            throw Trouble.limited("a Java array holds at most " + LONGEST_ARRAY + " bytes");
        }
        return (int) bytes;
    }
}
