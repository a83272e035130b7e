package sealmark.log.reader;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import sealmark.log.engine.NativeLibrary;
import sealmark.log.wrap.Bytes;

/**
 * Opens lines in native code, several times faster than pure Java. It learns headers where {@link Sessions} does, while no
 * thread opens.
 */
final class NativeOpening implements AutoCloseable {
    /** Bytes of six counts, which come before the text: tokens that stayed closed, by reason, and those that were opened. */
    static final int COUNTS = 6 * Long.BYTES;

    private static final int OPENED = 5 * Long.BYTES;
    /** Bytes for a line and its opened text. A longer line is copied in arrays, which takes a small part of its time. */
    private static final int MEMORY = 1 << 16;
    private static final byte[] ZEROS = new byte[MEMORY];

    /** 0 after {@link #close}. */
    private long opener;
    /** It is outside the heap, because the calls that read and make arrays take longer than opening a token. */
    private ByteBuffer memory;
    /** The address of the memory; 0 if this JVM tells none. */
    private long address;

    private NativeOpening(long opener) {
        this.opener = opener;
    }

    /** Null if this machine, this JVM or its settings have no native code. */
    static NativeOpening find(LogKeys keys) {
        if (NativeLibrary.missing().isPresent()) {
            return null;
        }
        byte[] lines = lines(keys);
        try {
            long opener = begin(lines);
            return opener == 0 ? null : new NativeOpening(opener);
        } catch (UnsatisfiedLinkError ofOtherLoader) {
            // The library belongs to the class loader of sealmark-log, which may be another one.
            return null;
        } finally {
            Bytes.wipe(lines);
        }
    }

    private static byte[] lines(LogKeys keys) {
        List<char[]> secrets = new ArrayList<>();
        keys.identities().forEach(key -> secrets.add(key.secretChars()));
        keys.preShared().forEach(key -> secrets.add(key.secretChars()));
        byte[] lines = new byte[secrets.stream().mapToInt(secret -> secret.length + 1).sum()];
        ByteBuffer out = ByteBuffer.wrap(lines);
        for (char[] secret : secrets) {
            US_ASCII.newEncoder().encode(CharBuffer.wrap(secret), out, true);
            out.put((byte) '\n');
            Arrays.fill(secret, '\0');
        }
        return lines;
    }

    void learn(byte[] text, int from, int to) {
        learn(opener, text, from, to - from);
    }

    /** Opens whole lines; the text begins at {@link #COUNTS}. */
    byte[] open(byte[] text, int from, int to, boolean isRaw) {
        byte[] opened = open(opener, text, from, to - from, isRaw);
        if (opened == null) {
            throw new IllegalStateException("the native library failed to open a log");
        }
        return opened;
    }

    /** Opens one line as {@link #open} does. Threads take turns, because they share the memory. */
    synchronized byte[] openLine(byte[] text, int from, int to, boolean isRaw) {
        if (opener == 0) {
            throw new IllegalStateException("the reader of the log is closed");
        }
        int length = to - from;
        if (length > MEMORY / 2) {
            return open(text, from, to, isRaw);
        }
        if (memory == null) {
            memory = ByteBuffer.allocateDirect(MEMORY);
            address = address(memory);
        }
        if (address == 0) {
            return open(text, from, to, isRaw);
        }
        int used = length;
        try {
            memory.put(0, text, from, length);
            int size = openLine(opener, address, MEMORY, length, isRaw);
            if (size >= 0) {
                used += size;
                byte[] opened = new byte[size];
                memory.get(length, opened);
                return opened;
            }
        } finally {
            memory.put(0, ZEROS, 0, used);
        }
        return open(text, from, to, isRaw);
    }

    /** The memory of {@link #openLine}, for tests; null before the first line. */
    synchronized ByteBuffer memory() {
        return memory;
    }

    /** Adds the tokens that stayed closed. */
    static void count(byte[] opened, Findings found) {
        ByteBuffer counts = ByteBuffer.wrap(opened);
        found.orphans += counts.getLong();
        found.noKey += counts.getLong();
        found.tampered += counts.getLong();
        found.notText += counts.getLong();
        found.cutOff += counts.getLong();
    }

    /** True if every token was opened. */
    static boolean isWhole(byte[] opened) {
        int any = 0;
        for (int at = 0; at < OPENED; at++) {
            any |= opened[at];
        }
        return any == 0;
    }

    /** How many tokens were opened. */
    static long opened(byte[] opened) {
        return ByteBuffer.wrap(opened).getLong(OPENED);
    }

    /** Wipes the keys and the memory. No thread is in {@link #open} or {@link #learn} any more. */
    @Override
    public synchronized void close() {
        try {
            if (opener != 0) {
                free(opener);
            }
        } finally {
            opener = 0;
            if (memory != null) {
                memory.put(0, ZEROS);
            }
        }
    }

    private static native long begin(byte[] keys);

    private static native void learn(long opener, byte[] text, int from, int length);

    private static native byte[] open(long opener, byte[] text, int from, int length, boolean raw);

    private static native long address(ByteBuffer memory);

    private static native int openLine(long opener, long memory, int capacity, int length, boolean raw);

    private static native void free(long opener);
}
