package sealmark.log.reader;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import sealmark.log.grammar.Found;
import sealmark.log.grammar.Grammar;
import sealmark.log.keys.PreSharedKey;
import sealmark.log.wrap.Bytes;
import sealmark.log.wrap.Tally;

/**
 * Reads a part of many logs, for programs that read the parts side by side: opens lines, or authenticates tokens and says where
 * each is. It knows the headers that it was given, and no others: opening a header takes as long as opening hundreds of tokens,
 * and whoever can write to a log can put false ones there. One thread at a time.
 */
public final class TokenReader implements AutoCloseable {
    private final Sessions sessions;
    private final TokenCipher cipher = new TokenCipher();
    private final LineOpener lines;
    private final Ledger ledger;
    private long nativelyOpened;

    /** A fault of one token. */
    public enum Fault {
        /** It does not authenticate. */
        TAMPERED,
        /** It is authentic, but its value cannot be inside the JSON string that it is in. */
        NOT_TEXT,
        /** It was cut off. */
        CUT_OFF,
        /** The header of its session was not met. */
        ORPHAN,
        /** None of the keys opens its session. */
        NO_KEY
    }

    /** Gets what a text has, from left to right. */
    public interface Events {
        /**
         * A part of the header of a session that a key opens.
         *
         * @param session the id
         * @param at the place of its first byte
         */
        void header(String session, int at);

        /**
         * An authentic value.
         *
         * @param session the id
         * @param counter its number in the session
         * @param at the place of the token's first byte
         */
        void value(String session, long counter, int at);

        /**
         * An authentic closing token.
         *
         * @param session the id
         * @param count counters below it were used
         * @param unused except for these
         * @param at the place of the token's first byte
         */
        void closing(String session, long count, List<OpenReport.Run> unused, int at);

        /**
         * A token with a fault.
         *
         * @param fault what is wrong
         * @param session the id that it names
         * @param at the place of the token's first byte
         */
        void fault(Fault fault, String session, int at);
    }

    /**
     * Facts of a header that was opened.
     *
     * @param isOrdered true if tokens are in the order of their counters, which rise by one
     * @param previous the session before; empty if the writer did not know it
     */
    public record Facts(boolean isOrdered, Optional<OpenReport.Previous> previous) {}

    /**
     * Text that was opened.
     *
     * @param text has it from {@code from} to its end
     * @param from the first byte
     */
    @SuppressWarnings("ArrayRecordComponent") // Nobody compares two of them.
    public record Opened(byte[] text, int from) {
        /**
         * The number of bytes.
         *
         * @return 0 for an empty text
         */
        public int length() {
            return text.length - from;
        }

        /**
         * The text alone.
         *
         * @return an array that has nothing else
         */
        public byte[] bytes() {
            return from == 0 ? text : Arrays.copyOfRange(text, from, text.length);
        }

        @Override
        public String toString() {
            return length() + " bytes";
        }
    }

    /**
     * Reads with these keys, and knows no session yet.
     *
     * @param identities secret keys, which stay the caller's
     * @param preShared pre-shared keys, which stay the caller's
     * @param mayBeNative true if lines are to be opened in native code, where there is any; each header is opened twice then
     */
    public TokenReader(List<Identity> identities, List<PreSharedKey> preShared, boolean mayBeNative) {
        sessions = new Sessions(new LogKeys(identities, preShared));
        if (mayBeNative) {
            sessions.useNative();
        }
        lines = new LineOpener(sessions, Context.ESCAPED, Labels.ALL);
        ledger = new Ledger(sessions::facts);
    }

    /**
     * Learns the headers in a text.
     *
     * @param text whole lines of a log
     * @param from the first byte
     * @param to the place after the last byte
     */
    public void learn(byte[] text, int from, int to) {
        sessions.learn(text, from, to);
    }

    /**
     * Opens lines, without the log's own.
     *
     * @param text whole lines of a log
     * @param from the first byte
     * @param to the place after the last byte
     * @param out gets the opened lines
     * @throws IOException from the output
     */
    public void open(byte[] text, int from, int to, OutputStream out) throws IOException {
        NativeOpening nativeOpening = sessions.nativeOpening();
        if (nativeOpening == null || Grammar.start(text, from, to) == to) {
            lines.open(text, from, to, out);
            ledger.add(lines.findings());
            return;
        }
        byte[] opened = nativeOpening.open(text, from, to, false);
        Findings found = new Findings();
        NativeOpening.count(opened, found);
        ledger.add(found);
        nativelyOpened += NativeOpening.opened(opened);
        try {
            out.write(opened, NativeOpening.COUNTS, opened.length - NativeOpening.COUNTS);
        } finally {
            Bytes.wipe(opened);
        }
    }

    /**
     * Opens one line. Unlike {@link #open(byte[], int, int, OutputStream)}, it takes the time of a few copies of the line, and
     * asks for headers only when it lacks one.
     *
     * @param text has the line, without its end, from {@code from} to {@code to - 1}
     * @param from the first byte
     * @param to the place after the last byte
     * @param learns is asked once if a session's header was not met, or no key opens it; it returns true after it learned more
     * @return the opened line; empty if the line is the log's own
     */
    public Optional<Opened> openLine(byte[] text, int from, int to, BooleanSupplier learns) {
        NativeOpening nativeOpening = sessions.nativeOpening();
        Opened opened = nativeOpening == null ? openPurely(text, from, to, learns)
                : new Opened(openNatively(nativeOpening, text, from, to, false, learns), NativeOpening.COUNTS);
        // The value of a token may be empty, too.
        return opened.length() == 0 && LineOpener.isOwn(text, from, to) ? Optional.empty() : Optional.of(opened);
    }

    /**
     * Opens a single token.
     *
     * @param text all of it and nothing else, from {@code from} to {@code to - 1}
     * @param from the first byte
     * @param to the place after the last byte
     * @param learns as in {@link #openLine}
     * @return its value; empty if the text is not a token, or if the token does not open
     */
    public Optional<Opened> openToken(byte[] text, int from, int to, BooleanSupplier learns) {
        if (LineOpener.tokenIn(text, from, to) == null) {
            return Optional.empty();
        }
        NativeOpening nativeOpening = sessions.nativeOpening();
        if (nativeOpening != null) {
            byte[] opened = openNatively(nativeOpening, text, from, to, true, learns);
            return NativeOpening.opened(opened) == 1 ? Optional.of(new Opened(opened, NativeOpening.COUNTS)) : Optional.empty();
        }
        Optional<byte[]> value = lines.openToken(text, from, to);
        Findings found = lines.findings();
        if (hasLearned(found, learns)) {
            value = lines.openToken(text, from, to);
            found = lines.findings();
        }
        ledger.add(found);
        return value.map(bytes -> new Opened(bytes, 0));
    }

    /** True if a session was lacking, and more was learned since. */
    private static boolean hasLearned(Findings found, BooleanSupplier learns) {
        return found.orphans + found.noKey > 0 && learns.getAsBoolean();
    }

    private byte[] openNatively(NativeOpening nativeOpening, byte[] text, int from, int to, boolean isRaw,
            BooleanSupplier learns) {
        byte[] opened = nativeOpening.openLine(text, from, to, isRaw);
        if (!NativeOpening.isWhole(opened)) {
            Findings found = new Findings();
            NativeOpening.count(opened, found);
            if (hasLearned(found, learns)) {
                Bytes.wipe(opened);
                return openNatively(nativeOpening, text, from, to, isRaw, () -> false);
            }
            ledger.add(found);
        }
        nativelyOpened += NativeOpening.opened(opened);
        return opened;
    }

    private Opened openPurely(byte[] text, int from, int to, BooleanSupplier learns) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(to - from);
        try {
            lines.open(text, from, to, out);
            Findings found = lines.findings();
            if (hasLearned(found, learns)) {
                out.reset();
                lines.open(text, from, to, out);
                found = lines.findings();
            }
            ledger.add(found);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return new Opened(out.toByteArray(), 0);
    }

    /**
     * The tokens that were opened so far.
     *
     * @return how many; after native code, the report does not count them
     */
    public long opened() {
        return ledger.report().opened() + nativelyOpened;
    }

    /**
     * The counts of all tokens that were opened so far, and of those that were not.
     *
     * @return a report that does not change any more
     */
    public OpenReport report() {
        return ledger.report();
    }

    /**
     * The facts of a session.
     *
     * @param session the id
     * @return no order and no previous session if no key opens its header
     */
    public Facts facts(String session) {
        HeaderFacts facts = sessions.facts(session);
        return new Facts(facts.isOrdered(), Optional.ofNullable(facts.previous()));
    }

    /**
     * Reads one line.
     *
     * @param text has the line from {@code from} to {@code to - 1}
     * @param from the first byte
     * @param to the place after the last byte, which may be a line feed
     * @param events gets what the line has
     */
    public void read(byte[] text, int from, int to, Events events) {
        if (Grammar.start(text, from, to) == to) {
            return;
        }
        Grammar grammar = new Grammar(text, from, to);
        Levels levels = new Levels(text, Levels.objectIn(text, from, to), to);
        int taken = from;
        for (Found found = grammar.next(); found != null; found = grammar.next()) {
            if (found instanceof Found.Token token) {
                value(token, Place.of(token, taken, to, levels), events);
                taken = found.end;
            } else if (found instanceof Found.Closing closing) {
                close(closing, events);
            } else if (found instanceof Found.Part && sessions.key(found.session).isPresent()) {
                events.header(found.session, found.start);
            } else if (found instanceof Found.CutOff && sessions.isMet(found.session)) {
                events.fault(Fault.CUT_OFF, found.session, found.start);
            }
        }
    }

    private void value(Found.Token token, Place place, Events events) {
        SessionKey key = sessions.key(token.session).orElse(null);
        if (key == null) {
            events.fault(sessions.isClosed(token.session) ? Fault.NO_KEY : Fault.ORPHAN, token.session, token.start);
            return;
        }
        try (Value value = key.open(token, cipher)) {
            if (value == null) {
                events.fault(Fault.TAMPERED, token.session, token.start);
                return;
            }
            events.value(token.session, value.counter(), token.start);
            if (!place.takes(value, token.isJson)) {
                events.fault(Fault.NOT_TEXT, token.session, token.start);
            }
        }
    }

    private void close(Found.Closing closing, Events events) {
        sessions.key(closing.session).ifPresent(key -> {
            Tally tally = key.close(closing, cipher);
            if (tally == null) {
                events.fault(Fault.TAMPERED, closing.session, closing.start);
            } else {
                List<OpenReport.Run> unused = tally.unused().stream()
                        .map(run -> new OpenReport.Run(run.start(), run.end())).toList();
                events.closing(closing.session, tally.count(), unused, closing.start);
            }
        });
    }

    /** Wipes the keys of sessions. */
    @Override
    public void close() {
        sessions.destroy();
    }
}
