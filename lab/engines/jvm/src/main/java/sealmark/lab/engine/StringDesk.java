package sealmark.lab.engine;

import java.nio.charset.StandardCharsets;

/** From string to string. */
final class StringDesk extends RecordDesk {
    private final StringHand hand;
    private String value;
    private String[] stock;
    private String text;
    private String opened;

    StringDesk(StringHand hand) {
        this.hand = hand;
    }

    @Override
    void take(byte[] bytes) {
        value = new String(bytes, StandardCharsets.UTF_8);
    }

    @Override
    void seal(long count) throws Exception {
        text = null;
        for (long done = 0; done != count; done++) {
            text = hand.seal(value);
            Fence.release();
        }
    }

    @Override
    byte[] look() throws Exception {
        if (text == null) {
            return null;
        }
        hand.startOver();
        return bytes(hand.open(text));
    }

    @Override
    void fill() throws Exception {
        if (stock != null) {
            return;
        }
        String[] texts = new String[texts(value.length())];
        for (int at = 0; at < texts.length; at++) {
            texts[at] = hand.seal(value);
        }
        stock = texts;
    }

    @Override
    void share(RecordDesk other) {
        stock = ((StringDesk) other).stock;
    }

    @Override
    void open(long count) throws Exception {
        opened = null;
        for (long left = count; left > 0; left -= stock.length) {
            hand.startOver();
            round((int) Math.min(left, stock.length));
        }
    }

    private void round(int count) throws Exception {
        for (int at = 0; at < count; at++) {
            opened = hand.open(stock[at]);
            Fence.release();
        }
    }

    @Override
    byte[] opened() {
        return bytes(opened);
    }

    @Override
    byte[] sealed(byte[] any) throws Exception {
        return bytes(hand.seal(new String(any, StandardCharsets.UTF_8)));
    }

    @Override
    byte[] opened(byte[] any) throws Exception {
        hand.look(any);
        return bytes(hand.open(new String(any, StandardCharsets.UTF_8)));
    }

    @Override
    void startOver() {
        hand.startOver();
    }

    private static byte[] bytes(String string) {
        return string.getBytes(StandardCharsets.UTF_8);
    }
}
