package sealmark.log4j2;

import java.nio.ByteBuffer;
import org.apache.logging.log4j.core.layout.ByteBufferDestination;

/** Takes the bytes of one record from a layout. */
final class LineBuffer implements ByteBufferDestination {
    private static final int USUAL = 8 * 1024;
    /** Memory for one long record is not kept for the records after it. */
    private static final int KEPT = 64 * 1024;
    /** No array is longer. */
    private static final int MOST = Integer.MAX_VALUE - 8;

    private ByteBuffer buffer = ByteBuffer.allocate(USUAL);
    /** Why it was not written; guarded by the manager's lock. */
    RuntimeException error;

    void clear() {
        error = null;
        buffer.clear();
        if (buffer.capacity() > KEPT) {
            buffer = ByteBuffer.allocate(USUAL);
        }
    }

    /** The record is at its beginning. */
    byte[] bytes() {
        return buffer.array();
    }

    int length() {
        return buffer.position();
    }

    @Override
    public ByteBuffer getByteBuffer() {
        return buffer;
    }

    @Override
    public ByteBuffer drain(ByteBuffer full) {
        makeRoom(full.capacity());
        return buffer;
    }

    @Override
    public void writeBytes(ByteBuffer data) {
        makeRoom(data.remaining());
        buffer.put(data);
    }

    @Override
    public void writeBytes(byte[] data, int offset, int length) {
        writeBytes(ByteBuffer.wrap(data, offset, length));
    }

    private void makeRoom(int bytes) {
        if (buffer.remaining() < bytes) {
            int needed = Math.addExact(buffer.position(), bytes);
            ByteBuffer larger = ByteBuffer.allocate((int) Math.min(MOST, 2L * needed));
            buffer.flip();
            buffer = larger.put(buffer);
        }
    }
}
