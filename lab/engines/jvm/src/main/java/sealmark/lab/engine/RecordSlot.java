package sealmark.lab.engine;

/**
 * One thread's means for job {@code record}: a way to seal values, the value of this job, and its outputs. One process
 * has slots of one class and sealers of one class, so that the JVM makes the work a part of the loop; the fences are
 * those of {@link Operation}.
 */
abstract class RecordSlot {
    /** About so many bytes of values are in a stock, but no fewer texts than 8 and no more than 256. */
    private static final int STOCK = 16_384;

    /** Takes the value that spans work on. */
    abstract void take(byte[] value);

    /** Seals the value so many times; the last text stays. */
    abstract void seal(long count) throws Exception;

    /** Opens the last text and returns its value, null where there is no text. */
    abstract byte[] look() throws Exception;

    /** Makes what will be opened, unless it is there. */
    abstract void fill() throws Exception;

    /** Opens another slot's stock, too: it must be one of this class. */
    abstract void share(RecordSlot other);

    /** Opens so many texts of the stock, one after the other and again from its start; the last value stays. */
    abstract void open(long count) throws Exception;

    /** The value opened last. */
    abstract byte[] opened();

    /** The text of any value. */
    abstract byte[] sealed(byte[] value) throws Exception;

    /** The value of a text that may be anything. */
    abstract byte[] opened(byte[] text) throws Exception;

    /** The texts that come now have been opened before. */
    abstract void startOver();

    /** How many texts are in the stock of values of so many bytes. */
    static int texts(int bytes) {
        return Math.max(8, Math.min(256, STOCK / Math.max(1, bytes)));
    }
}
