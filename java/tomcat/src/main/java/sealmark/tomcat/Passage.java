package sealmark.tomcat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * The way of lines into a file. Values are sealed before their line is written; so that a file has all values of its
 * sessions, it is not closed while a line is on its way.
 *
 * <p>The order of locks is the valve's monitor, which Tomcat holds whenever it closes a file, then those here. Lines do
 * without that monitor.
 */
final class Passage {
    /** Whoever formats a line may wait for what the thread holds that closes the file, or be that thread. */
    private static final long PATIENCE_SECONDS = 1;
    private static final int MOST_SPINS = 200;

    /** Shared by those who make and write a line, exclusive for those who close a file. */
    private final ReentrantReadWriteLock lines = new ReentrantReadWriteLock();
    private final ReentrantLock file = new ReentrantLock();

    /** Makes and writes a line while no file is closed. */
    void line(Runnable line) {
        lines.readLock().lock();
        try {
            line.run();
        } finally {
            lines.readLock().unlock();
        }
    }

    /** Held by whoever writes to the file, or looks which one it is. */
    ReentrantLock file() {
        return file;
    }

    /**
     * Takes the file's lock. Lines are written in a microsecond or two, and to fall asleep and be woken takes ten times as
     * long; a monitor, as Tomcat has, waits awake for a while, too.
     */
    void takeFile() {
        for (int tried = 0; tried < MOST_SPINS; tried++) {
            if (file.tryLock()) {
                return;
            }
            Thread.onSpinWait();
        }
        file.lock();
    }

    /**
     * Waits until the lines on their way are written, and lets no other on its way before {@link #open}. Should one of them
     * not come, the file is closed nevertheless; the line stands in the next one then, with its header.
     */
    void close() {
        waitForLines();
        file.lock();
    }

    /** Lets lines go on if this thread keeps them from it. */
    void open() {
        while (file.isHeldByCurrentThread()) {
            file.unlock();
        }
        while (lines.isWriteLockedByCurrentThread()) {
            lines.writeLock().unlock();
        }
    }

    /** Whether it succeeds is seen from the lock. */
    private void waitForLines() {
        boolean interrupted = Thread.interrupted();
        boolean alone = false;
        try {
            alone = lines.writeLock().tryLock(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException error) {
            interrupted = true;
        }
        if (!alone && interrupted) {
            alone = lines.writeLock().tryLock();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
