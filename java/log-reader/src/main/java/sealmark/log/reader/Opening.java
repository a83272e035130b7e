package sealmark.log.reader;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import sealmark.log.grammar.Grammar;

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

    /** The opened text, from {@code from} on; {@code room} if it is to be used again. */
    @SuppressWarnings("ArrayRecordComponent") // Nobody compares two of them.
    private record Opened(byte[] text, int from, int to, Room room, Findings found) implements Lanes.Result {
        @Override
        public void wipe() {
            Arrays.fill(text, from, to, (byte) 0);
        }
    }

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
        lanes = new Lanes<>(sessions, this::work, this::take);
    }

    /** Reads a log to its end. If that fails, the lines before are still opened. */
    void read(InputStream in, int number, boolean isFile) throws IOException {
        try {
            lanes.read(in, number, isFile);
        } finally {
            lanes.drain();
        }
        out.flush();
    }

    private Lanes.Work<Opened> work() {
        LineOpener opener = new LineOpener(sessions, context, labels);
        NativeOpening nativeOpening = labels.isAll() ? sessions.nativeOpening() : null;
        return block -> {
            boolean isPlain = Grammar.start(block.text(), block.from(), block.to()) == block.to();
            if (block.isLines() && nativeOpening != null && !isPlain) {
                Findings found = new Findings();
                found.isSealed = true;
                byte[] text = nativeOpening.open(block.text(), block.from(), block.to(), context == Context.RAW);
                NativeOpening.count(text, found);
                return new Opened(text, NativeOpening.COUNTS, text.length, null, found);
            }
            Room known = rooms.poll();
            Room room = known == null ? new Room() : known;
            if (block.isLines()) {
                opener.open(block.text(), block.from(), block.to(), room);
            } else {
                room.write(block.text(), block.from(), block.length());
            }
            return new Opened(room.bytes(), 0, room.length(), room, opener.findings());
        };
    }

    private void take(Block block, Opened opened) throws IOException {
        try {
            write(block.input(), opened);
        } finally {
            opened.wipe();
        }
        if (opened.room != null) {
            opened.room.clear();
            rooms.add(opened.room);
        }
        taker.take(block, opened.found);
        out.flush();
    }

    /** Keeps the last line of a log, which may have been cut off, apart from the first one of the next. */
    private void write(int number, Opened opened) throws IOException {
        if (opened.to > opened.from) {
            if (isUnended && input != number) {
                out.write('\n');
            }
            out.write(opened.text, opened.from, opened.to - opened.from);
            input = number;
            isUnended = opened.text[opened.to - 1] != '\n';
        }
    }

    @Override
    public void close() {
        lanes.close();
    }
}
