package sealmark.log.reader;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Opens logs that are read as one, on all cores. */
final class Opening implements AutoCloseable {
    private final Queue<Room> rooms = new ConcurrentLinkedQueue<>();
    private final Sessions sessions;
    private final Context context;
    private final Labels labels;
    private final Taker taker;
    private final OutputStream out;
    private final Lanes<Opened> lanes;
    private int input;
    private boolean isUnended;

    private record Opened(Room text, Findings found) {}

    /** Takes what was met in a block, after its text was written. */
    interface Taker {
        void take(Block block, Findings found) throws IOException;
    }

    /**
     * Opens logs that {@link #read} names.
     *
     * @param out is flushed after each block, because a log may grow slowly
     */
    Opening(Sessions sessions, Context context, Labels labels, Taker taker, OutputStream out) {
        this.sessions = sessions;
        this.context = context;
        this.labels = labels;
        this.taker = taker;
        this.out = out;
        lanes = new Lanes<>(this::work, this::take);
    }

    /** Reads a log to its end. If that fails, the lines before are still opened. */
    void read(InputStream in, int number) throws IOException {
        try {
            lanes.read(new BlockReader(in, number), sessions);
        } finally {
            lanes.drain();
        }
        out.flush();
    }

    private Lanes.Work<Opened> work() {
        LineOpener opener = new LineOpener(sessions, context, labels);
        return block -> {
            Room known = rooms.poll();
            Room room = known == null ? new Room() : known;
            if (block.isLines()) {
                opener.open(block.text(), block.from(), block.to(), room);
            } else {
                room.write(block.text(), block.from(), block.length());
            }
            return new Opened(room, opener.findings());
        };
    }

    private void take(Block block, Opened opened) throws IOException {
        Room text = opened.text;
        try {
            write(block.input(), text);
        } finally {
            text.clear();
        }
        rooms.add(text);
        taker.take(block, opened.found);
        out.flush();
    }

    /** Keeps the last line of a log, which may have been cut off, apart from the first one of the next. */
    private void write(int number, Room text) throws IOException {
        if (text.length() > 0) {
            if (isUnended && input != number) {
                out.write('\n');
            }
            text.writeTo(out);
            input = number;
            isUnended = text.bytes()[text.length() - 1] != '\n';
        }
    }

    @Override
    public void close() {
        lanes.close();
    }
}
