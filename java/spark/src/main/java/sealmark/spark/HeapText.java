package sealmark.spark;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.types.UTF8String;
import sealmark.log.reader.TokenReader;

/**
 * The bytes of a text of Spark, which are rarely copied: a row has them in an array of the heap, among others.
 *
 * @param bytes has them from {@code from} to {@code to - 1}, and must not be changed
 * @param from the first byte
 * @param to the place after the last byte
 */
@SuppressWarnings("ArrayRecordComponent") // Nobody compares two of them.
record HeapText(byte[] bytes, int from, int to) {
    static HeapText of(UTF8String text) {
        if (text.getBaseObject() instanceof byte[] array) {
            int from = (int) (text.getBaseOffset() - Platform.BYTE_ARRAY_OFFSET);
            return new HeapText(array, from, from + text.numBytes());
        }
        byte[] copy = text.getBytes();
        return new HeapText(copy, 0, copy.length);
    }

    /** An opened text as Spark's, which takes the array over. */
    static UTF8String of(TokenReader.Opened opened) {
        return UTF8String.fromBytes(opened.text(), opened.from(), opened.length());
    }

    static String string(TokenReader.Opened opened) {
        return new String(opened.text(), opened.from(), opened.length(), UTF_8);
    }

    @Override
    public String toString() {
        return (to - from) + " bytes";
    }
}
