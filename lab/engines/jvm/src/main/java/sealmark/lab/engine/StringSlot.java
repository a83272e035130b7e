package sealmark.lab.engine;

import java.nio.charset.StandardCharsets;

/** From string to string. */
final class StringSlot extends RecordSlot {
    private final StringSealer sealer;
    private String value;
    private String[] stock;
    private String text;
    private String opened;

    StringSlot(StringSealer sealer) {
        this.sealer = sealer;
    }

    @Override
    void take(byte[] bytes) {
        value = new String(bytes, StandardCharsets.UTF_8);
    }

    @Override
    void seal(long count) throws Exception {
        text = null;
        for (long done = 0; done != count; done++) {
            text = sealer.seal(value);
            Fence.release();
        }
    }

    @Override
    byte[] look() throws Exception {
        if (text == null) {
            return null;
        }
        sealer.startOver();
        return bytes(sealer.open(text));
    }

    @Override
    void fill() throws Exception {
        if (stock != null) {
            return;
        }
        String[] texts = new String[texts(value.length())];
        for (int at = 0; at < texts.length; at++) {
            texts[at] = sealer.seal(value);
        }
        stock = texts;
    }

    @Override
    void share(RecordSlot other) {
        stock = ((StringSlot) other).stock;
    }

    @Override
    void open(long count) throws Exception {
        opened = null;
        for (long left = count; left > 0; left -= stock.length) {
            sealer.startOver();
            round((int) Math.min(left, stock.length));
        }
    }

    private void round(int count) throws Exception {
        for (int at = 0; at < count; at++) {
            opened = sealer.open(stock[at]);
            Fence.release();
        }
    }

    @Override
    byte[] opened() {
        return bytes(opened);
    }

    @Override
    byte[] sealed(byte[] any) throws Exception {
        return bytes(sealer.seal(new String(any, StandardCharsets.UTF_8)));
    }

    @Override
    byte[] opened(byte[] any) throws Exception {
        sealer.look(any);
        return bytes(sealer.open(new String(any, StandardCharsets.UTF_8)));
    }

    @Override
    void startOver() {
        sealer.startOver();
    }

    private static byte[] bytes(String string) {
        return string.getBytes(StandardCharsets.UTF_8);
    }
}
