package sealmark.lab.engine;

/** The same from one buffer of the caller's into another. */
interface BytesSealer {
    /** The bytes of text that a value of so many becomes, at most. */
    int longest(int bytes);

    /** Returns how many bytes of text there are. */
    int seal(byte[] value, byte[] text) throws Exception;

    /** Returns how many bytes the value has; the buffer for it is as long as the text. */
    int open(byte[] text, byte[] value) throws Exception;

    /** Refuses what its decoder must not be given; asked of text from outside, and of none in a span. */
    default void look(byte[] text) throws Trouble {}

    /** The texts that come now have been opened before. */
    default void startOver() {}
}
