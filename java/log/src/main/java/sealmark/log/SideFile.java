package sealmark.log;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.util.concurrent.locks.ReentrantLock;
import sealmark.log.engine.SealException;
import sealmark.log.engine.Session;

/** A file with the header of every session, of this process and of others, written before the first token. */
final class SideFile {
    /** A file's lock is the process's: a second thread would not wait for it, but fail. */
    private static final ReentrantLock OF_THIS_PROCESS = new ReentrantLock();

    private final Path file;

    SideFile(Path file) {
        this.file = file;
    }

    void append(Session session) throws SealException {
        ByteBuffer lines = ByteBuffer.wrap(session.headerLines(Shape.PLAIN).getBytes(ISO_8859_1));
        OF_THIS_PROCESS.lock();
        try (FileChannel channel = FileChannel.open(file, CREATE, WRITE);
                FileLock lock = channel.lock()) {
            write(lines, channel, lock.channel().size());
        } catch (IOException | RuntimeException error) {
            throw new SealException("no header in the side file \"" + file + "\": " + error.getMessage(), error);
        } finally {
            OF_THIS_PROCESS.unlock();
        }
    }

    /** The whole of it or nothing: half a line would take the next header with it. */
    private static void write(ByteBuffer lines, FileChannel channel, long end) throws IOException {
        try {
            for (long at = end; lines.hasRemaining(); at += channel.write(lines, at)) {}
            channel.force(false);
        } catch (IOException error) {
            channel.truncate(end);
            throw error;
        }
    }
}
