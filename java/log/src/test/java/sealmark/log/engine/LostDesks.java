package sealmark.log.engine;

/** Takes a desk for good, as a thread does that is lost while it seals. */
public final class LostDesks {
    private LostDesks() {}

    /** Takes one of a session in pure Java. */
    public static void lose(Session session) {
        if (!((JavaSession) session).desks[0].tryTake()) {
            throw new AssertionError("the desk was taken before");
        }
    }
}
