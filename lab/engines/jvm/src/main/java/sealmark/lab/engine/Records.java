package sealmark.lab.engine;

import java.io.ByteArrayOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** A prepared job {@code record}: values to text and back, by threads that share the work. */
final class Records implements AutoCloseable {
    /** So many stocks of texts are enough: there may be thousands of threads, and their memory is the lab's own. */
    private static final int STOCKS = 256;

    final RecordWay way;
    private final byte[] value;
    private final RecordPool pool;
    private final RecordSlot[] slots;
    private final Allocations allocations;

    Records(RecordJob job, RecordWay way) throws Exception {
        this.way = way;
        value = job.recipe.value(job.bytes);
        slots = new RecordSlot[job.threads];
        for (int number = 0; number < slots.length; number++) {
            slots[number] = way.slot(number);
            slots[number].take(value);
        }
        pool = new RecordPool(job.threads, job.virtual);
        allocations = Allocations.orNull(pool.threads());
    }

    /** Does {@code seal} or {@code open} so many times, measures it, and returns the value that came of the last. */
    byte[] time(String operation, long count, Meter meter, Map<String, Object> measured) throws Exception {
        boolean opens = opens(operation);
        int atWork = (int) Math.min(count, slots.length);
        if (opens) {
            fill(atWork);
        }
        RecordPool.Part part = opens ? number -> slots[number].open(share(number, count))
                : number -> slots[number].seal(share(number, count));
        span(atWork, part, meter, measured);
        pool.first(atWork, number -> mustBeTheValue(opens ? slots[number].opened() : slots[number].look()));
        return value;
    }

    private void span(int atWork, RecordPool.Part part, Meter meter, Map<String, Object> measured) throws Exception {
        long before = allocations == null ? 0 : allocations.soFar();
        meter.start();
        pool.first(atWork, part);
        meter.stop();
        meter.report(measured);
        // This figure belongs to the thread that waited for the others.
        measured.remove("allocated_bytes");
        if (allocations != null) {
            measured.put("allocated_bytes", Math.max(0, allocations.soFar() - before));
        }
    }

    private void mustBeTheValue(byte[] other) throws Trouble {
        if (!Arrays.equals(value, other)) {
            throw Trouble.failed("what a thread sealed does not open to the value");
        }
    }

    private long share(int number, long count) {
        return count / slots.length + (number < count % slots.length ? 1 : 0);
    }

    private void fill(int atWork) throws Exception {
        pool.first(Math.min(atWork, STOCKS), number -> slots[number].fill());
        for (int number = STOCKS; number < atWork; number++) {
            slots[number].share(slots[number % STOCKS]);
        }
    }

    /** A line for each value of the file {@code input}, or a value for each line, in their order. */
    void run(String operation, Path input, Path output) throws Exception {
        byte[] data = Files.readAllBytes(input);
        List<byte[]> items = opens(operation) ? lines(data) : values(data);
        byte[][] parts = new byte[slots.length][];
        pool.all(number -> {
            List<byte[]> own = items.subList(place(items, number), place(items, number + 1));
            parts[number] = opens(operation) ? openAll(slots[number], own) : sealAll(slots[number], own);
        });
        ByteArrayOutputStream whole = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            whole.write(part);
        }
        Files.write(output, whole.toByteArray());
    }

    private int place(List<byte[]> items, int number) {
        return (int) ((long) items.size() * number / slots.length);
    }

    private static byte[] sealAll(RecordSlot slot, List<byte[]> values) throws Exception {
        ByteArrayOutputStream lines = new ByteArrayOutputStream();
        for (byte[] each : values) {
            lines.write(slot.sealed(each));
            lines.write('\n');
        }
        return lines.toByteArray();
    }

    private static byte[] openAll(RecordSlot slot, List<byte[]> texts) throws Exception {
        slot.startOver();
        ByteArrayOutputStream values = new ByteArrayOutputStream();
        for (byte[] each : texts) {
            values.write(slot.opened(each));
        }
        return values.toByteArray();
    }

    private List<byte[]> values(byte[] data) {
        List<byte[]> values = new ArrayList<>();
        int bytes = Math.max(1, value.length);
        for (int at = 0; at < data.length; at += bytes) {
            values.add(Arrays.copyOfRange(data, at, Math.min(data.length, at + bytes)));
        }
        return values;
    }

    private static List<byte[]> lines(byte[] data) throws Trouble {
        List<byte[]> lines = new ArrayList<>();
        int start = 0;
        for (int at = 0; at < data.length; at++) {
            if (data[at] == '\n') {
                lines.add(Arrays.copyOfRange(data, start, at));
                start = at + 1;
            }
        }
        if (start < data.length) {
            throw Trouble.refused("the last line has no end");
        }
        return lines;
    }

    /** Returns whether the operation is the way back. */
    static boolean opens(String operation) throws Trouble {
        if (!operation.equals("seal") && !operation.equals("open")) {
            throw Trouble.unsupported("job \"record\" has no operation \"" + operation + "\"");
        }
        return operation.equals("open");
    }

    @Override
    public void close() {
        pool.close();
    }
}
