package sealmark.log.read;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Those headers of a session that have as many parts: different texts of each number, and ways to join them. */
final class HeaderParts {
    /** Different texts of one part that are kept. */
    private static final int MOST_TEXTS = 4;
    /** Headers that are put together when a part arrives: what may be tried costs a decapsulation. */
    private static final int MOST_COMBINATIONS = 16;
    private static final int MOST_BYTES = 1_900_000;

    private final int of;
    private final Map<Integer, List<byte[]>> texts = new HashMap<>();
    /** How many parts have at least so many texts. */
    private final int[] atLeast = new int[MOST_TEXTS + 1];

    HeaderParts(int of) {
        this.of = of;
    }

    /** Whether a text of a part is to be kept: it is new, and there are not too many. */
    boolean wants(int number, byte[] text) {
        List<byte[]> known = texts.getOrDefault(number, List.of());
        return known.size() < MOST_TEXTS && known.stream().noneMatch(other -> Arrays.equals(other, text));
    }

    void add(int number, byte[] text) {
        List<byte[]> known = texts.computeIfAbsent(number, any -> new ArrayList<>(1));
        known.add(text);
        atLeast[known.size()]++;
    }

    /**
     * In how many ways the newest text of a part makes a header. Where they are too many, only that of the newest texts
     * counts, with the last part or once each has as many as this one: a second header is then complete.
     */
    int combinations(int number) {
        if (texts.size() != of) {
            return 0;
        }
        int depth = texts.get(number).size();
        long product = 1;
        for (int count = 2; count <= MOST_TEXTS && product <= MOST_COMBINATIONS; count++) {
            int more = count == MOST_TEXTS ? 0 : atLeast[count + 1];
            int parts = atLeast[count] - more - (depth == count ? 1 : 0);
            for (int part = 0; part < parts && product <= MOST_COMBINATIONS; part++) {
                product *= count;
            }
        }
        if (product <= MOST_COMBINATIONS) {
            return (int) product;
        }
        return number == of || atLeast[depth] == of ? 1 : 0;
    }

    /** The {@code index}th header with the newest text of a part; 0 is that of all the newest. */
    byte[] combination(int number, int index) {
        ByteArrayOutputStream header = new ByteArrayOutputStream();
        int rest = index;
        for (int part = 1; part <= of; part++) {
            List<byte[]> choices = texts.get(part);
            int choice = part == number ? 0 : rest % choices.size();
            rest = part == number ? rest : rest / choices.size();
            header.writeBytes(choices.get(choices.size() - 1 - choice));
            if (header.size() > MOST_BYTES) {
                return new byte[0];
            }
        }
        return header.toByteArray();
    }
}
