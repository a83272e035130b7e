package sealmark.lab.engine;

/** One way to seal a value into text and to open it again, from string to string, used by one thread. */
interface StringSealer {
    String seal(String value) throws Exception;

    String open(String text) throws Exception;

    /** Refuses what its decoder must not be given; asked of text from outside, and of none in a span. */
    default void look(byte[] text) throws Trouble {}

    /** The texts that come now have been opened before. */
    default void startOver() {}
}
