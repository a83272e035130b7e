package sealmark.log.reader;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import sealmark.log.grammar.Found;
import sealmark.log.grammar.Grammar;

/** Checks lines for {@code verify}: opens tokens, and compares labels with the names around them. One thread at a time. */
final class Checker extends LineOpener {
    /** Faults that are kept of a block. */
    static final int MOST_FAULTS = 1000;
    private static final byte[] LOST = "~s1x~".getBytes(ISO_8859_1);
    private static final String CUT_OFF = "a token is cut off";

    private final Sessions sessions;
    private final boolean comparesLabels;
    private final Room room = new Room();
    private Checked checked = new Checked();
    private long line;

    /** The findings of a block; lines are counted from 0 in it. */
    static final class Checked implements Lanes.Result {
        Findings found;
        long lines;
        long mislabelled;
        /** Markers in place of values that could not be sealed. */
        long lost;
        final List<Wrong> wrong = new ArrayList<>();
        final List<Sign> signs = new ArrayList<>();
        final List<Value> values = new ArrayList<>();
        /** Ends of lines that may be the beginning of a session's id. */
        final List<Wrong> cuts = new ArrayList<>();

        @Override
        public Findings found() {
            return found;
        }

        @Override
        public void wipe() {
            // Opened values are not in it.
        }
    }

    /** Something to look at in a line. */
    record Wrong(long line, String kind, String text) {}

    /** A header or a closing token; {@code closing} has its text if its session is not known yet. */
    record Sign(long line, String session, boolean isClosing, String early) {}

    /** A value that was opened. */
    record Value(long line, String session, long counter) {}

    Checker(Sessions sessions, boolean comparesLabels) {
        super(sessions, Context.ESCAPED, Labels.ALL);
        this.sessions = sessions;
        this.comparesLabels = comparesLabels;
    }

    @Override
    void opened(String session, long counter) {
        checked.values.add(new Value(line, session, counter));
    }

    Checked check(Block block) throws IOException {
        checked = new Checked();
        byte[] text = block.text();
        line = 0;
        int done = block.from();
        int at = block.isLines() ? Grammar.start(text, done, block.to()) : block.to();
        while (at < block.to()) {
            int start = Block.lineStart(text, done, at);
            int end = Block.lineEnd(text, at, block.to());
            line += feeds(text, done, start);
            checkLine(text, start, end);
            line++;
            done = end;
            at = Grammar.start(text, end, block.to());
        }
        checked.lines = feeds(text, block.from(), block.to());
        checked.found = findings();
        settleCuts();
        return checked;
    }

    private static long feeds(byte[] text, int from, int to) {
        long feeds = 0;
        for (int at = from; at < to; at++) {
            feeds += text[at] == '\n' ? 1 : 0;
        }
        return feeds;
    }

    private void checkLine(byte[] text, int from, int to) throws IOException {
        long tampered = seen().tampered;
        long notText = seen().notText;
        long cutOff = seen().cutOff;
        openLine(text, from, to, room);
        room.clear();
        note(seen().tampered > tampered, "tampered", "a token fails authentication");
        note(seen().notText > notText, "not text", "the value of a token is not text, but this place can contain only text");
        note(seen().cutOff > cutOff, "cut off", CUT_OFF);
        int end = trimmedEnd(text, from, to);
        checked.lost += lost(text, from, end);
        String cut = idAtEnd(new String(text, from, end - from, ISO_8859_1));
        if (cut != null) {
            checked.cuts.add(new Wrong(line, "cut off", cut));
        }
        signs(text, from, end);
    }

    private void signs(byte[] text, int from, int to) {
        Places places = comparesLabels ? new Places(text, from, to) : null;
        Grammar grammar = new Grammar(text, from, to);
        for (Found next = grammar.next(); next != null; next = grammar.next()) {
            if (next instanceof Found.Token token) {
                compare(token, places);
            } else if (next instanceof Found.Part && sessions.key(next.session).isPresent()) {
                checked.signs.add(new Sign(line, next.session, false, null));
            } else if (next instanceof Found.Closing) {
                boolean isKnown = sessions.key(next.session).isPresent();
                String early = isKnown ? null : new String(text, next.start, next.end - next.start, ISO_8859_1);
                checked.signs.add(new Sign(line, next.session, true, early));
            }
        }
    }

    private void compare(Found.Token token, Places places) {
        String name = places == null ? null : places.contradict(token.start, token.end, token.label());
        if (name != null) {
            String shown = name.codePointCount(0, name.length()) <= 64 ? Say.quoted(name)
                    : Say.quoted(name.substring(0, name.offsetByCodePoints(0, 64))) + "…";
            note(true, "label", "a token labelled " + Say.quoted(token.label()) + " is in the field " + shown);
            checked.mislabelled++;
        }
    }

    private void note(boolean isSo, String kind, String text) {
        if (isSo && checked.wrong.size() < MOST_FAULTS) {
            checked.wrong.add(new Wrong(line, kind, text));
        }
    }

    private static int trimmedEnd(byte[] text, int from, int to) {
        int end = to;
        while (end > from && Levels.isSpace(text[end - 1])) {
            end--;
        }
        return end;
    }

    private static long lost(byte[] text, int from, int to) {
        long lost = 0;
        for (int at = Grammar.start(text, from, to); at < to; at = Grammar.start(text, at + 1, to)) {
            lost += at + LOST.length <= to && Arrays.equals(text, at, at + LOST.length, LOST, 0, LOST.length) ? 1 : 0;
        }
        return lost;
    }

    /** The beginning of a session's id, if a line ends within it. A token that was cut before that names no session. */
    static String idAtEnd(String line) {
        int start = line.lastIndexOf(Grammar.START);
        if (start < 0 || start + 5 > line.length() || line.charAt(start + 4) != '~') {
            return null;
        }
        char suite = line.charAt(start + 3);
        int id = start + 5;
        if ("apjq".indexOf(suite) >= 0) {
            int tilde = line.indexOf('~', id);
            if (tilde < 0 || !line.substring(id, tilde).matches("[A-Za-z0-9._-]{1," + Grammar.LONGEST_LABEL + "}")) {
                return null;
            }
            id = tilde + 1;
        } else if (suite != 'h' && suite != 'z') {
            return null;
        }
        String beginning = line.substring(id);
        return beginning.length() <= Grammar.ID && beginning.matches("[A-Za-z0-9_-]+") ? beginning : null;
    }

    /** Counts the cut tokens whose session is known, because text that is none of them may end a line, too. */
    private void settleCuts() {
        for (Wrong cut : checked.cuts) {
            if (sessions.isBeginning(cut.text)) {
                checked.found.cutOff++;
                checked.wrong.add(new Wrong(cut.line, cut.kind, CUT_OFF));
            }
        }
        checked.wrong.sort((one, other) -> Long.compare(one.line, other.line));
    }
}
