package sealmark.tomcat;

import java.util.concurrent.locks.ReentrantLock;
import sealmark.log.LineGate;

/**
 * The way of lines into a file, which is not closed while a line is on it.
 *
 * <p>The order of locks is the valve's monitor, which Tomcat holds whenever it closes a file, then those here. Lines do
 * without that monitor.
 */
final class FileGate {
    private static final int MOST_SPINS = 200;

    private final LineGate gate = new LineGate();
    private final ReentrantLock file = new ReentrantLock();

    /** Makes and writes a line while no file is closed. */
    void line(Runnable line) {
        gate.enter(false);
        try {
            line.run();
        } finally {
            gate.leave();
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

    /** Waits until the lines on their way are written, and lets no other on its way before {@link #open}. */
    void close() {
        gate.close(0);
        file.lock();
    }

    /** Lets lines go on if this thread keeps them from it. */
    void open() {
        while (file.isHeldByCurrentThread()) {
            file.unlock();
        }
        gate.open();
    }
}
