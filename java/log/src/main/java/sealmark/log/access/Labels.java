package sealmark.log.access;

import sealmark.log.Label;

/** Labels for the names of parameters, which clients choose: the usual ones are kept, not all. */
final class Labels {
    /** A power of two. */
    private static final int MOST = 256;
    /** Longer names are cut by their labels, and kept by nobody. */
    private static final int LONGEST = 64;

    /** Each name has one place. Threads that race for it write what they made themselves; all of it is right. */
    private final Known[] places = new Known[MOST];

    private record Known(String name, Label label) {}

    /** The label for a name in the clear. */
    Label of(char[] chars, int from, int to) {
        if (to - from > LONGEST) {
            return Label.fit(new String(chars, from, to - from));
        }
        int hash = 0;
        for (int at = from; at < to; at++) {
            hash = 31 * hash + chars[at];
        }
        int place = (hash ^ hash >>> 8) & (MOST - 1);
        Known known = places[place];
        return known != null && isSame(known.name, chars, from, to) ? known.label : add(place, chars, from, to);
    }

    private Label add(int place, char[] chars, int from, int to) {
        String name = new String(chars, from, to - from);
        Label label = Label.fit(name);
        places[place] = new Known(name, label);
        return label;
    }

    private static boolean isSame(String name, char[] chars, int from, int to) {
        if (name.length() != to - from) {
            return false;
        }
        for (int at = from; at < to; at++) {
            if (name.charAt(at - from) != chars[at]) {
                return false;
            }
        }
        return true;
    }
}
