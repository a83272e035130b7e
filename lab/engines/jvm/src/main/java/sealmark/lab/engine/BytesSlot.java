package sealmark.lab.engine;

import java.util.Arrays;

/** From one buffer into another. */
final class BytesSlot extends RecordSlot {
    private final BytesSealer sealer;
    private byte[] value;
    private byte[][] stock;
    private byte[] text;
    private int textLength;
    private byte[] opened;
    private int openedLength;

    BytesSlot(BytesSealer sealer) {
        this.sealer = sealer;
    }

    @Override
    void take(byte[] bytes) {
        value = bytes;
        text = new byte[sealer.longest(bytes.length)];
    }

    @Override
    void seal(long count) throws Exception {
        textLength = 0;
        for (long done = 0; done != count; done++) {
            textLength = sealer.seal(value, text);
            Fence.release();
        }
    }

    @Override
    byte[] look() throws Exception {
        if (textLength == 0) {
            return null;
        }
        sealer.startOver();
        return open(Arrays.copyOf(text, textLength));
    }

    @Override
    void fill() throws Exception {
        if (stock != null) {
            return;
        }
        byte[][] texts = new byte[texts(value.length)][];
        for (int at = 0; at < texts.length; at++) {
            texts[at] = sealed(value);
        }
        stock = texts;
    }

    @Override
    void share(RecordSlot other) {
        stock = ((BytesSlot) other).stock;
    }

    @Override
    void open(long count) throws Exception {
        opened = new byte[stock[0].length];
        openedLength = 0;
        for (long left = count; left > 0; left -= stock.length) {
            sealer.startOver();
            round((int) Math.min(left, stock.length));
        }
    }

    private void round(int count) throws Exception {
        for (int at = 0; at < count; at++) {
            openedLength = sealer.open(stock[at], opened);
            Fence.release();
        }
    }

    @Override
    byte[] opened() {
        return Arrays.copyOf(opened, openedLength);
    }

    @Override
    byte[] sealed(byte[] any) throws Exception {
        byte[] room = new byte[sealer.longest(any.length)];
        return Arrays.copyOf(room, sealer.seal(any, room));
    }

    @Override
    byte[] opened(byte[] any) throws Exception {
        sealer.look(any);
        return open(any);
    }

    private byte[] open(byte[] any) throws Exception {
        byte[] room = new byte[any.length];
        return Arrays.copyOf(room, sealer.open(any, room));
    }

    @Override
    void startOver() {
        sealer.startOver();
    }
}
