package sealmark.lab.engine;

/** The loop of a span with nothing in it: what the lab itself costs. */
final class EmptyLoop extends Operation {
    static Work prepare(Job job) throws Trouble {
        if (!job.algorithm.equals("none")) {
            throw Trouble.unsupported("job \"empty\" has no algorithm \"" + job.algorithm + "\"");
        }
        return new Work(false, "a loop with nothing in it", new EmptyLoop(), null);
    }

    private static final byte[] NOTHING = new byte[0];

    @Override
    void begin(byte[] bytes, long first) {
        keep(NOTHING);
    }

    @Override
    void once(long number) {}
}
