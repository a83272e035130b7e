package sealmark.spark;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import sealmark.log.reader.OpenReport;
import sealmark.log.reader.TokenReader;

/** Collects the findings of one file, within bounds. */
final class FileLedger implements TokenReader.Events {
    /**
     * Names at most this many faults of a file, of a session and of all files, and judges at most this many jumps of a file. The
     * others are only counted.
     */
    static final int MOST_FINDINGS = 10_000;

    private static final int MOST_SESSIONS = 1 << 16;
    private static final int MOST_RUNS = 1 << 20;

    final Map<String, SessionPiece> sessions = new LinkedHashMap<>();
    final List<Finding> findings = new ArrayList<>();
    private long tampered;
    private long notText;
    private long cutOff;
    private long orphans;
    private long noKey;
    private long longLines;
    /** Faults beyond those that are named. */
    long more;
    /** Values that are too many to tell apart, or to judge the order of. */
    long untracked;

    private final String file;
    private final Function<String, TokenReader.Facts> facts;
    private long offset;
    private long line;
    private int runs;
    private int jumps;

    FileLedger(String file, Function<String, TokenReader.Facts> facts) {
        this.file = file;
        this.facts = facts;
    }

    /** Says where in the file the text begins that places are in, and which line is read. */
    void at(long textOffset, long number) {
        offset = textOffset;
        line = number;
    }

    @Override
    public void header(String session, int at) {
        piece(session, at);
    }

    @Override
    public void value(String session, long counter, int at) {
        SessionPiece piece = piece(session, at);
        if (piece == null || (runs >= MOST_RUNS && !piece.isNear(counter))) {
            untracked++;
            return;
        }
        runs -= piece.met.size();
        if (piece.isJump(counter) && !piece.isMet(counter)) {
            if (jumps < MOST_FINDINGS) {
                jumps++;
                piece.jump(counter, place(at));
            } else {
                untracked++;
            }
        }
        if (!piece.meet(counter, place(at))) {
            add("repeated", session, counter, at, "value " + counter + " is a repeat: it occurs earlier in the file");
        }
        runs += piece.met.size();
    }

    @Override
    public void closing(String session, long count, List<OpenReport.Run> unused, int at) {
        SessionPiece piece = piece(session, at);
        if (piece != null) {
            piece.close(count, unused, place(at));
        }
    }

    @Override
    public void fault(TokenReader.Fault fault, String session, int at) {
        switch (fault) {
            case TAMPERED -> {
                tampered++;
                add("tampered", session, null, at, "a token fails authentication");
            }
            case NOT_TEXT -> {
                notText++;
                add("not text", session, null, at,
                        "the value of a token is not text, but this place can contain only text");
            }
            case CUT_OFF -> {
                cutOff++;
                add("cut off", session, null, at, "a token is cut off");
            }
            case ORPHAN -> orphans++;
            case NO_KEY -> noKey++;
        }
    }

    /** A line that is longer than what is read at a time. */
    void longLine(Lines.Kind kind, long textOffset, long number) {
        at(textOffset, number);
        if (kind == Lines.Kind.LAST_PIECE) {
            longLines++;
            add("not checked", null, null, 0, "a line longer than 16 MiB was not checked");
        }
    }

    Counts counts() {
        return new Counts(0, orphans, noKey, tampered, notText, cutOff, longLines, 0);
    }

    private SessionPiece piece(String session, int at) {
        SessionPiece known = sessions.get(session);
        if (known == null && sessions.size() < MOST_SESSIONS) {
            known = new SessionPiece(file, place(at), !sessions.isEmpty());
            known.isOrdered = facts.apply(session).isOrdered();
            sessions.put(session, known);
        }
        return known;
    }

    private void add(String kind, String session, Long counter, int at, String text) {
        if (findings.size() < MOST_FINDINGS) {
            String whole = session == null || counter == null ? text : text + " (session " + session + ")";
            findings.add(new Finding(kind, file, offset + at, line, session, counter, whole));
        } else {
            more++;
        }
    }

    private SessionPiece.Place place(int at) {
        return new SessionPiece.Place(offset + at, line);
    }

    /** The previous sessions that headers name, each as a piece of that session. */
    Map<String, List<SessionPiece>> named() {
        Map<String, List<SessionPiece>> named = new LinkedHashMap<>();
        sessions.forEach((session, piece) -> {
            Optional<OpenReport.Previous> previous = facts.apply(session).previous();
            previous.ifPresent(before -> {
                SessionPiece follower = new SessionPiece(file, piece.began, piece.isBehindAnother);
                follower.isNamedOnly = true;
                follower.counted = before.count().orElse(-1);
                named.computeIfAbsent(before.session(), any -> new ArrayList<>()).add(follower);
            });
        });
        return named;
    }
}
