package sealmark.log;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.locks.ReentrantLock;
import sealmark.log.engine.SealException;
import sealmark.log.engine.Session;

/**
 * A file with the header of every session, of this process and of others, written before the first token.
 *
 * <p>Interrupted threads log, too: nothing here reads or writes through a channel, which would be closed under them.
 */
final class SideFile {
    /** For each file, as who closes a file gives up the locks that others of his process have on it. */
    private static final ConcurrentMap<Path, ReentrantLock> TURNS = new ConcurrentHashMap<>();
    /** Each process that may read a file can lock it, and log calls wait meanwhile. */
    private static final Duration PATIENCE = Duration.ofSeconds(1);
    private static final long BETWEEN_LOOKS_MILLIS = 1;

    private final Path file;
    private final ReentrantLock turn;

    SideFile(Path file) {
        this.file = file;
        this.turn = TURNS.computeIfAbsent(file.toAbsolutePath().normalize(), any -> new ReentrantLock());
    }

    void append(Session session) throws SealException {
        byte[] lines = session.headerLines(Shape.PLAIN).getBytes(ISO_8859_1);
        try {
            append(lines, System.nanoTime() + PATIENCE.toNanos());
        } catch (IOException | RuntimeException error) {
            throw new SealException("cannot write the session header to the side file \"" + file + "\": " + error.getMessage(), error);
        }
    }

    private void append(byte[] lines, long until) throws IOException {
        ReentrantLock mine = soon(() -> turn.tryLock() ? turn : null, until);
        try (FileOutputStream out = new FileOutputStream(file.toFile(), true);
                FileLock lock = soon(() -> lock(out.getChannel()), until)) {
            write(lines, out, lock);
        } finally {
            mine.unlock();
        }
    }

    /** Null if another process has it, or another class loader of this one. */
    private static FileLock lock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException taken) {
            return null;
        }
    }

    /** The whole of it or nothing: half a line would take the next header with it. */
    private void write(byte[] lines, FileOutputStream out, FileLock lock) throws IOException {
        long end = Files.size(file);
        try {
            out.write(lines);
            out.getFD().sync();
        } catch (IOException error) {
            cutOff(end, lock);
            throw error;
        }
    }

    private void cutOff(long end, FileLock lock) throws IOException {
        try (RandomAccessFile same = new RandomAccessFile(file.toFile(), "rw")) {
            if (lock.isValid()) {
                same.setLength(end);
            }
        }
    }

    /** The first result of attempts that is not null. An interrupt is left to the code that runs next. */
    private static <T> T soon(Attempt<T> attempt, long until) throws IOException {
        boolean wasInterrupted = false;
        try {
            T made = attempt.make();
            while (made == null) {
                if (System.nanoTime() - until > 0) {
                    throw new IOException("another process has held the lock for " + PATIENCE.toMillis() + " ms");
                }
                wasInterrupted |= wasInterruptedAsleep();
                made = attempt.make();
            }
            return made;
        } finally {
            if (wasInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static boolean wasInterruptedAsleep() {
        try {
            Thread.sleep(BETWEEN_LOOKS_MILLIS);
            return false;
        } catch (InterruptedException interrupt) {
            return true;
        }
    }

    /** Null if it is to be made again. */
    private interface Attempt<T> {
        T make() throws IOException;
    }
}
