package sealmark.log.reader;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import sealmark.log.reader.Arguments.Option;
import sealmark.log.reader.OpenReport.Run;

/** {@code verify}: tokens are authentic, in fields of their labels' names, and complete. */
final class VerifyVerb {
    static final List<Option> OPTIONS = options();
    /** Lines that are named; the others are counted. */
    private static final int NAMED = 8;
    private static final int MOST_SESSIONS = 1 << 16;
    private static final int MOST_RUNS = 1 << 20;
    private static final int MOST_EARLY = 1 << 16;
    private static final int LISTED = 4;
    private static final int LISTED_IN_JSON = 100;

    private final boolean mustBeClosed;
    private final boolean isJson;
    private final boolean comparesLabels;
    private final List<LogFile> logs;
    private final Sessions sessions;
    /** Sessions of side files, which have those of other logs, too. */
    private final Set<String> elsewhere;
    private final Rows rows;
    private final Map<String, SessionLedger> ledgers = new LinkedHashMap<>();
    private final Unopened unopened = new Unopened();
    private final List<Finding> wrong = new ArrayList<>();
    private final List<Finding> repeats = new ArrayList<>();
    /** Closing tokens that came before the header of their session. */
    private final List<Early> early = new ArrayList<>();
    private Checker.Value lastRepeat;
    private long leftOut;
    private long runs;
    private long untracked;
    private long mislabelled;
    private long lost;
    private long tooLong;
    private int input;
    private long linesBefore;

    /** A fault and where it is. */
    private record Finding(LogFile log, Rows.Place at, String kind, String session, long counter, String text) {}

    private record Early(Rows.Place at, Checker.Sign sign) {}

    /** The words for a session, with what they are based on. */
    private record Verdict(String session, SessionLedger ledger, HeaderFacts facts, OptionalLong counted, long begins,
            List<Run> missing, boolean isWhole, String text) {}

    private VerifyVerb(Arguments arguments, List<LogFile> logs, Sessions sessions) {
        this.logs = logs;
        this.sessions = sessions;
        mustBeClosed = arguments.has("--closed");
        isJson = arguments.has("--json");
        comparesLabels = !arguments.has("--any-label");
        elsewhere = sessions.known();
        rows = new Rows(sessions::facts);
    }

    private static List<Option> options() {
        List<Option> options = new ArrayList<>(KeyFiles.options("log verify"));
        options.add(Option.flag("--closed", 0, "Fail if a session has no closing token"));
        options.add(Option.elsewhere("--in-order", 0, "leave it out, or type: sealmark log verify --in-order -i key.txt app.log"));
        options.add(Option.flag("--any-label", 0, "Do not compare labels with the field names around tokens; needed for logs"
                + " sealed with patterns"));
        options.add(Option.flag("--json", 0, "Print JSON, with the keys of `sealmark log verify --json`"));
        return List.copyOf(options);
    }

    static Exit run(Arguments arguments) throws IOException {
        KeyFiles.require(arguments, arguments.rest());
        List<LogFile> logs = LogFile.all(arguments.rest());
        Sessions sessions = KeyFiles.sessions(arguments, false);
        try {
            return new VerifyVerb(arguments, logs, sessions).verify();
        } finally {
            sessions.destroy();
        }
    }

    private Exit verify() throws IOException {
        Exit read = Exit.DONE;
        Fault ended = null;
        try (Lanes<Checker.Checked> lanes = new Lanes<>(sessions,
                () -> new Checker(sessions, comparesLabels)::check, this::take)) {
            read = Unopened.readAll(logs, sessions, (in, number, isFile) -> {
                try {
                    lanes.read(in, number, isFile);
                } finally {
                    lanes.drain();
                }
            });
        } catch (Fault fault) {
            ended = fault;
        }
        boolean isAllRead = ended == null && read == Exit.DONE && tooLong == 0;
        Exit exit = report(ended == null, isAllRead).max(read).max(Unopened.tooLong(tooLong, "were not checked"));
        return ended == null ? exit : exit.max(Say.fault(ended));
    }

    private void take(Block block, Checker.Checked checked) {
        if (block.input() != input) {
            input = block.input();
            linesBefore = 0;
        }
        for (Checker.Wrong one : checked.wrong) {
            if (wrong.size() < Checker.MOST_FAULTS) {
                wrong.add(new Finding(logs.get(input), place(one.line()), one.kind(), null, -1, one.text()));
            } else {
                leftOut++;
            }
        }
        for (Checker.Sign sign : checked.signs) {
            see(sign, place(sign.line()));
        }
        checked.values.forEach(this::take);
        checked.found.closed.forEach(closed -> close(closed));
        unopened.add(checked.found, block, sessions);
        mislabelled += checked.mislabelled;
        lost += checked.lost;
        tooLong += block.kind() == Block.Kind.LAST_PIECE ? 1 : 0;
        linesBefore += checked.lines;
    }

    private Rows.Place place(long line) {
        return new Rows.Place(input, linesBefore + line + 1);
    }

    private void see(Checker.Sign sign, Rows.Place at) {
        if (sign.early() != null) {
            if (early.size() < MOST_EARLY) {
                early.add(new Early(at, sign));
            }
        } else if (sign.isClosing()) {
            rows.closing(sign.session(), at);
        } else if (!elsewhere.contains(sign.session())) {
            // Nobody checked a header whose session is known from a side file.
            rows.header(sign.session(), at);
        }
    }

    private void take(Checker.Value value) {
        SessionLedger ledger = ledger(value.session());
        if (ledger == null || (runs >= MOST_RUNS && !ledger.isNear(value.counter()))) {
            untracked++;
            return;
        }
        Rows.Place at = place(value.line());
        if (ledger.isMet(value.counter())) {
            // The first of several in a row stands for all.
            boolean goesOn = lastRepeat != null && lastRepeat.session().equals(value.session())
                    && lastRepeat.counter() + 1 == value.counter();
            lastRepeat = value;
            if (goesOn) {
                ledger.meet(value.counter());
                return;
            }
            if (repeats.size() < Checker.MOST_FAULTS) {
                String text = "value " + value.counter() + " is a repeat: it occurs earlier in the log";
                repeats.add(new Finding(logs.get(at.input()), at, "repeated", value.session(), value.counter(),
                        text + " (session " + value.session() + ")"));
            } else {
                leftOut++;
            }
        } else {
            lastRepeat = null;
            rows.value(value.session(), value.counter(), at);
        }
        runs -= ledger.runs();
        ledger.meet(value.counter());
        runs += ledger.runs();
    }

    private void close(Findings.Closed closed) {
        SessionLedger ledger = ledger(closed.session());
        if (ledger != null) {
            ledger.close(closed.tally());
        }
    }

    /** Null if there are too many sessions. */
    private SessionLedger ledger(String session) {
        SessionLedger known = ledgers.get(session);
        if (known == null && ledgers.size() < MOST_SESSIONS) {
            known = new SessionLedger(sessions.facts(session));
            ledgers.put(session, known);
        }
        return known;
    }

    /** Reads the closing tokens whose headers came after them. */
    private void addEarly() throws IOException {
        LineOpener opener = new LineOpener(sessions, Context.ESCAPED, Labels.ALL);
        for (Early one : early) {
            if (sessions.key(one.sign.session()).isPresent()) {
                byte[] token = one.sign.early().getBytes(ISO_8859_1);
                opener.openLine(token, 0, token.length, new Room());
                rows.closing(one.sign.session(), one.at);
            }
        }
        Findings found = opener.findings();
        found.closed.forEach(this::close);
        unopened.add(found);
    }

    private Exit report(boolean isRead, boolean isAllRead) throws IOException {
        addEarly();
        // A session may have a header and nothing else: the rest may have been cut away.
        new TreeSet<>(sessions.known()).stream().filter(id -> !elsewhere.contains(id)).forEach(this::ledger);
        rows.settle();
        Map<String, Long> counted = rows.counted();
        Comparator<Verdict> order = Comparator.comparing((Verdict verdict) -> rows.place(verdict.session),
                Comparator.nullsLast(Comparator.naturalOrder()));
        List<Verdict> verdicts = ledgers.entrySet().stream().map(one -> verdict(one.getKey(), one.getValue(), counted))
                .sorted(order).toList();
        boolean isWhole = verdicts.stream().allMatch(verdict -> verdict.isWhole
                && !(mustBeClosed && isRead && verdict.counted.isEmpty()));
        Exit exit = (isWhole ? Exit.DONE : Exit.DAMAGED).max(worst());
        List<Finding> faults = new ArrayList<>(wrong);
        faults.addAll(repeats);
        int room = isJson ? Checker.MOST_FAULTS : NAMED;
        leftOut += Math.max(0, faults.size() - room);
        List<Finding> named = faults.subList(0, Math.min(room, faults.size()));
        String text = isJson ? json(verdicts, named, exit == Exit.DONE && isAllRead) : words(verdicts, named);
        Output.open(null, false, logs).stream().write(text.getBytes(UTF_8));
        warn();
        return exit.max(unopened.report());
    }

    private Verdict verdict(String session, SessionLedger ledger, Map<String, Long> counts) {
        HeaderFacts facts = sessions.facts(session);
        Long next = counts.get(session);
        // Without a count gaps say nothing, unless order is kept: threads take counters in runs.
        boolean showsGaps = ledger.sealed().isPresent() || next != null || facts.isOrdered();
        List<Run> gaps = showsGaps ? ledger.missing(next == null ? 0 : next) : List.of();
        long end = gaps.isEmpty() ? 0 : gaps.get(gaps.size() - 1).end();
        long begins = rows.begins(session);
        List<Run> missing = gaps.stream().map(run -> new Run(Math.max(run.start(), begins), run.end()))
                .filter(run -> run.start() < run.end()).toList();
        OptionalLong counted = ledger.sealed().isPresent() || next == null ? ledger.sealed() : OptionalLong.of(next);
        List<String> faults = faults(ledger, counted, missing);
        boolean isWhole = faults.isEmpty();
        String text = text(ledger, counted, faults, number(gaps) - number(missing));
        return new Verdict(session, ledger, facts, counted, Math.min(begins, end), missing, isWhole, text);
    }

    private static List<String> faults(SessionLedger ledger, OptionalLong counted, List<Run> missing) {
        List<String> faults = new ArrayList<>();
        long number = number(missing);
        if (number > 0) {
            String of = counted.isPresent() ? " of " + Say.many(counted.getAsLong(), "value") : "";
            faults.add(number + of + " missing (" + listed(missing) + ")");
        }
        if (ledger.beyond() > 0) {
            faults.add(Say.many(ledger.beyond(), "value") + " more than the closing token counts");
        }
        if (ledger.repeated() > 0) {
            faults.add(Say.many(ledger.repeated(), "token") + " repeated");
        }
        return faults;
    }

    private static String text(SessionLedger ledger, OptionalLong counted, List<String> faults, long inOlderLogs) {
        List<String> words = new ArrayList<>(faults);
        String values = Say.many(ledger.values(), "sealed value");
        if (counted.isEmpty()) {
            words.add(0, "not closed, " + values + " so far");
        } else if (faults.isEmpty()) {
            words.add((inOlderLogs == 0 && ledger.values() > 1 ? "all " : "") + values + " present");
        }
        if (inOlderLogs > 0) {
            words.add(Say.many(inOlderLogs, "earlier value") + " not found (in an older log, or deleted)");
        }
        return String.join(", ", words);
    }

    private static long number(List<Run> runs) {
        return runs.stream().mapToLong(run -> run.end() - run.start()).sum();
    }

    private static String listed(List<Run> runs) {
        String list = runs.stream().limit(LISTED).map(run -> run.end() - run.start() == 1 ? "" + run.start()
                : run.start() + "-" + (run.end() - 1)).collect(Collectors.joining(", "));
        return (number(runs) == 1 ? "value " : "values ") + list + (runs.size() > LISTED ? ", …" : "");
    }

    /** The worst fault besides sessions that are not whole. */
    private Exit worst() {
        // A log from which every token was removed looks like one without a session.
        boolean isDamaged = mislabelled > 0 || hasNoSession() || unopened.cutOff > 0;
        return (isDamaged ? Exit.DAMAGED : untracked > 0 ? Exit.IO : Exit.DONE).max(unopened.exit());
    }

    private boolean hasNoSession() {
        return ledgers.isEmpty() && unopened.isNone();
    }

    private String words(List<Verdict> verdicts, List<Finding> faults) {
        for (Finding fault : faults) {
            Say.note(fault.log.shown() + ", line " + fault.at.line() + ": " + fault.text);
        }
        if (leftOut > 0) {
            Say.note("and " + leftOut + " more");
        }
        long values = sum(verdicts, SessionLedger::values);
        long open = verdicts.stream().filter(verdict -> verdict.ledger.sealed().isEmpty()).count();
        StringBuilder text = new StringBuilder();
        verdicts.forEach(verdict -> text.append(verdict.session).append(": ").append(verdict.text).append('\n'));
        text.append(Say.many(verdicts.size(), "session")).append(open > 0 ? ", " + open + " of them not closed" : "")
                .append(", ").append(Say.many(values, "value")).append('\n')
                .append(Say.many(values, "sealed value")).append(" verified");
        Map<String, Long> counts = new LinkedHashMap<>();
        counts.put("missing", verdicts.stream().mapToLong(verdict -> number(verdict.missing)).sum());
        counts.put("repeated", sum(verdicts, SessionLedger::repeated));
        counts.put("cut off", unopened.cutOff);
        counts.put("altered", unopened.tampered);
        counts.forEach((what, number) -> text.append(number > 0 ? ", " + number + " " + what : ""));
        return text.append("; text outside tokens is not protected\n").toString();
    }

    private static long sum(List<Verdict> verdicts, ToLongFunction<SessionLedger> of) {
        return verdicts.stream().map(Verdict::ledger).mapToLong(of).sum();
    }

    private void warn() {
        if (mislabelled > 0) {
            Say.warning(Say.many(mislabelled, "token") + " in a field whose name differs from the label",
                    "a token may have been moved to another field; if the log was sealed with patterns, add --any-label");
        }
        if (lost > 0) {
            Say.warning(Say.many(lost, "value") + " lost when the log was written: ~s1x~ stands in place of each",
                    "look for the reason in the output of the program that wrote the log");
        }
        if (hasNoSession()) {
            Say.warning("nothing was verified: no key opens a session of this log", "check that it is the right log and that"
                    + " its header lines are still there, or pass another key with -i or --psk");
        }
        if (untracked > 0) {
            Say.warning(Say.many(untracked, "token") + " not checked for gaps: there are too many sessions, or values too far"
                    + " out of order", "verify the log in smaller parts");
        }
    }

    /** The keys are those of the program {@code sealmark}, with what it writes without {@code --in-order}. */
    private String json(List<Verdict> verdicts, List<Finding> faults, boolean isOk) {
        Map<String, Object> keys = new LinkedHashMap<>();
        keys.put("ok", isOk);
        keys.put("values", sum(verdicts, SessionLedger::values));
        keys.put("in_order", null);
        keys.put("missing", verdicts.stream().mapToLong(verdict -> number(verdict.missing)).sum());
        keys.put("repeated", sum(verdicts, SessionLedger::repeated));
        keys.put("out_of_order", 0);
        keys.put("not_counted", sum(verdicts, SessionLedger::beyond));
        keys.put("mislabelled", mislabelled);
        keys.put("cut_off", unopened.cutOff);
        keys.put("tampered", unopened.tampered);
        keys.put("not_text", unopened.notText);
        keys.put("lost", lost);
        keys.put("orphans", unopened.orphans);
        keys.put("no_key", unopened.noKey);
        keys.put("not_checked", untracked);
        keys.put("missing_sessions", 0);
        keys.put("sessions", verdicts.stream().map(VerifyVerb::json).toList());
        keys.put("faults", faults.stream().map(VerifyVerb::json).toList());
        keys.put("faults_left_out", leftOut);
        return Json.written(keys) + "\n";
    }

    private static Map<String, Object> json(Verdict verdict) {
        Map<String, Object> keys = new LinkedHashMap<>();
        keys.put("session", verdict.session);
        keys.put("values", verdict.ledger.values());
        keys.put("ordered", verdict.facts.isOrdered());
        keys.put("closed", verdict.ledger.sealed().isPresent());
        keys.put("counted", verdict.counted.isPresent() ? verdict.counted.getAsLong() : null);
        keys.put("begins", verdict.begins);
        keys.put("previous", verdict.facts.previous() == null ? null : verdict.facts.previous().session());
        keys.put("missing", verdict.missing.stream().limit(LISTED_IN_JSON)
                .map(run -> List.of(run.start(), run.end() - 1)).toList());
        keys.put("repeated", verdict.ledger.repeated());
        keys.put("not_counted", verdict.ledger.beyond());
        return keys;
    }

    private static Map<String, Object> json(Finding fault) {
        Map<String, Object> keys = new LinkedHashMap<>();
        keys.put("file", fault.log.name());
        keys.put("line", fault.at.line());
        keys.put("kind", fault.kind);
        keys.put("session", fault.session);
        keys.put("counter", fault.counter < 0 ? null : fault.counter);
        keys.put("expected", null);
        keys.put("text", fault.text);
        return keys;
    }
}
