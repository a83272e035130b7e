package sealmark.log.engine;

/** Takes a slot for good, as a thread does that is lost while it seals. */
public final class LostSlots {
    private LostSlots() {}

    /** Takes one of a session in pure Java. */
    public static void lose(Session session) {
        if (!((JavaSession) session).slots[0].tryTake()) {
            throw new AssertionError("the slot was taken before");
        }
    }
}
