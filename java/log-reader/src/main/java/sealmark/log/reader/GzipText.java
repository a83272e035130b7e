package sealmark.log.reader;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import java.util.zip.ZipException;

/**
 * The text of a gzip file (RFC 1952), which is all of its members. The JDK's decoder takes a damaged member after the first, or
 * a pause of a pipe before it, for the end of the file, and so loses lines without a word.
 */
final class GzipText extends InputStream {
    private static final int HEADER_CRC = 2;
    private static final int EXTRA = 4;
    private static final int NAME = 8;
    private static final int COMMENT = 16;
    private static final int RESERVED = 0xe0;

    private final InputStream in;
    private final Inflater inflater = new Inflater(true);
    private final CRC32 headerCrc = new CRC32();
    private final CRC32 textCrc = new CRC32();
    private final byte[] input = new byte[1 << 16];
    private int at;
    private int filled;
    private boolean isInMember;
    /** The decoder may have more text without more input. */
    private boolean hasMore;

    GzipText(InputStream in) {
        this.in = in;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] out, int from, int length) throws IOException {
        int read = 0;
        while (read == 0 && length > 0) {
            if (!isInMember && !begin()) {
                return -1;
            }
            read = inflate(out, from, length);
        }
        return read;
    }

    private int inflate(byte[] out, int from, int length) throws IOException {
        if (at == filled && !hasMore && !fill()) {
            throw new EOFException();
        }
        inflater.setInput(input, at, filled - at);
        try {
            int read = inflater.inflate(out, from, length);
            at = filled - inflater.getRemaining();
            textCrc.update(out, from, read);
            hasMore = read == length;
            if (read == 0 && inflater.finished()) {
                // Its text before counts, even if the member turns out to be damaged.
                end();
            } else if (inflater.needsDictionary()) {
                throw new ZipException("a dictionary is needed");
            }
            return read;
        } catch (DataFormatException damaged) {
            throw (ZipException) new ZipException(damaged.getMessage()).initCause(damaged);
        }
    }

    /** Reads the header of the next member; false at the end of the file. */
    private boolean begin() throws IOException {
        if (at == filled && !fill()) {
            return false;
        }
        headerCrc.reset();
        require(next() == 0x1f && next() == 0x8b && next() == 8);
        int flags = next();
        require((flags & RESERVED) == 0);
        // The time, the level and the system.
        skip(6);
        if ((flags & EXTRA) != 0) {
            skip(next() | next() << 8);
        }
        skipWord((flags & NAME) != 0);
        skipWord((flags & COMMENT) != 0);
        if ((flags & HEADER_CRC) != 0) {
            int crc = (int) headerCrc.getValue() & 0xffff;
            require((next() | next() << 8) == crc);
        }
        inflater.reset();
        textCrc.reset();
        isInMember = true;
        return true;
    }

    /** Checks a member's text. */
    private void end() throws IOException {
        require(nextInt() == (int) textCrc.getValue() && nextInt() == (int) inflater.getBytesWritten());
        isInMember = false;
        hasMore = false;
    }

    private void skip(int length) throws IOException {
        for (int skipped = 0; skipped < length; skipped++) {
            next();
        }
    }

    /** Skips a text that a zero ends, if it is there. */
    private void skipWord(boolean isThere) throws IOException {
        boolean isEnded = !isThere;
        while (!isEnded) {
            isEnded = next() == 0;
        }
    }

    private int nextInt() throws IOException {
        return next() | next() << 8 | next() << 16 | next() << 24;
    }

    private int next() throws IOException {
        if (at == filled && !fill()) {
            throw new EOFException();
        }
        headerCrc.update(input[at]);
        return input[at++] & 0xff;
    }

    /** Reads more of the file; false at its end. */
    private boolean fill() throws IOException {
        at = 0;
        filled = Math.max(0, in.read(input, 0, input.length));
        return filled > 0;
    }

    private static void require(boolean isSo) throws ZipException {
        if (!isSo) {
            throw new ZipException("this is not gzip");
        }
    }

    @Override
    public int available() throws IOException {
        return hasMore || at < filled ? 1 : Math.min(1, in.available());
    }

    @Override
    public void close() throws IOException {
        inflater.end();
        in.close();
    }
}
