package sealmark.log.reader;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import sealmark.log.reader.Arguments.Option;
import sealmark.log.reader.Searcher.Row;
import sealmark.log.reader.Searcher.Searched;
import sealmark.log.reader.Searcher.Show;

/** {@code grep}: lines that match once they are opened. Flags and exit codes are those of grep, except {@code -i}. */
final class GrepVerb {
    static final List<Option> OPTIONS = options();

    private final Arguments arguments;
    private final List<LogFile> logs;
    private final Labels labels;
    private final boolean hasNames;
    private final long most;
    private final boolean hasContext;
    private final long before;
    private final long after;
    private final Unopened unopened = new Unopened();
    private final Set<String> seen = new HashSet<>();
    private OutputStream out;
    private long tooLong;
    private boolean isFound;
    private boolean isStopped;
    private boolean isPrinted;

    /** Where in the log that is printed now we are. */
    private int input;
    private long lines;
    private long places;
    private long selected;
    private boolean isFinished;
    /** How many more lines are printed after the last one that was selected. */
    private long more;
    /** The place after the line that was printed last. */
    private long next = -1;
    /** The last lines that were not printed. */
    private final Deque<Held> held = new ArrayDeque<>();

    @SuppressWarnings("ArrayRecordComponent") // Nobody compares two of them.
    private record Held(long line, long place, byte[] text) {}

    private GrepVerb(Arguments arguments, List<LogFile> logs, boolean areSeveral) throws Fault {
        this.arguments = arguments;
        this.logs = logs;
        labels = new Labels(arguments.all("--label"), true);
        hasNames = (areSeveral || arguments.has("--with-filename")) && !arguments.has("--no-filename");
        most = arguments.number("--max-count").orElse(Long.MAX_VALUE);
        long around = arguments.number("--context").orElse(0L);
        before = arguments.number("--before-context").orElse(around);
        after = arguments.number("--after-context").orElse(around);
        hasContext = arguments.has("--context") || arguments.has("--before-context") || arguments.has("--after-context");
    }

    private static List<Option> options() {
        List<Option> options = new ArrayList<>(KeyFiles.options("log grep"));
        options.add(Option.values("--regexp", 'e', "PATTERN",
                "Search for this pattern, and give no PATTERN argument (repeatable)"));
        options.add(Option.flag("--ignore-case", 0, "Ignore the case of letters"));
        options.add(Option.flag("--fixed-strings", 'F', "Treat each pattern as plain text"));
        options.add(Option.flag("--invert-match", 'v', "Print the lines that do not match"));
        options.add(Option.values("--label", 0, "LABEL", "Search only values with this label, each by itself (repeatable)"));
        options.addAll(LogFile.elsewhere("grep -i key.txt PATTERN"));
        options.add(Option.value("--max-count", 'm', "N", "Stop reading a file after N printed lines"));
        options.add(Option.flag("--line-number", 'n', "Print the number of each line in its file"));
        options.add(Option.flag("--with-filename", 'H', "Print the file name before each line"));
        options.add(Option.flag("--no-filename", 0, "Print no file names"));
        options.add(Option.flag("--only-matching", 'o', "Print only the matches, each on a line of its own"));
        options.add(Option.value("--after-context", 'A', "N", "Print N lines after each matching line"));
        options.add(Option.value("--before-context", 'B', "N", "Print N lines before each matching line"));
        options.add(Option.value("--context", 'C', "N", "Print N lines before and after each matching line"));
        options.add(Option.flag("--sealed", 0, "Print the lines as they are in the log, with their tokens"));
        options.add(Option.flag("--json", 0, "Print JSON, with the keys of `sealmark log grep --json`"));
        options.add(Option.flag("--count", 'c', "Print only the number of matching lines of each file"));
        options.add(Option.flag("--files-with-matches", 'l', "Print only the names of files with matching lines"));
        options.add(Option.flag("--quiet", 'q', "Print nothing; exit with 0 if a line matches, even if an error occurred"));
        return List.copyOf(options);
    }

    static Exit run(Arguments arguments) throws IOException {
        arguments.refuse("--only-matching", "--sealed");
        for (String other : List.of("--sealed", "--only-matching", "--after-context", "--before-context", "--context")) {
            arguments.refuse("--json", other);
        }
        for (String summary : List.of("--count", "--files-with-matches")) {
            arguments.refuse(summary, "--sealed");
            arguments.refuse(summary, "--json");
        }
        List<String> patterns = new ArrayList<>(arguments.all("--regexp"));
        List<String> names = new ArrayList<>(arguments.rest());
        if (patterns.isEmpty()) {
            if (names.isEmpty()) {
                throw arguments.usage("the following required arguments were not provided: <PATTERN>");
            }
            patterns.add(names.remove(0));
        }
        Patterns compiled = new Patterns(patterns, arguments.has("--fixed-strings"), arguments.has("--ignore-case"));
        KeyFiles.require(arguments, names);
        List<LogFile> logs = new ArrayList<>();
        Exit missing = there(names, logs);
        if (logs.isEmpty()) {
            return missing;
        }
        Sessions sessions = KeyFiles.sessions(arguments, false);
        try (Output output = Output.open(null, false, logs)) {
            GrepVerb grep = new GrepVerb(arguments, logs, names.size() > 1);
            return grep.most == 0 ? missing.max(Exit.NOT_FOUND) : grep.search(sessions, compiled, output.stream(), missing);
        } finally {
            sessions.destroy();
        }
    }

    /** Finds the logs that are there; if some of several are missing, the others are searched, as with grep. */
    private static Exit there(List<String> names, List<LogFile> logs) throws Fault {
        if (names.size() < 2) {
            logs.addAll(LogFile.all(names));
            return Exit.DONE;
        }
        Exit exit = Exit.DONE;
        for (String name : names) {
            try {
                logs.add(LogFile.named(name));
            } catch (Fault fault) {
                exit = exit.max(Say.fault(fault));
            }
        }
        return exit;
    }

    private Exit search(Sessions sessions, Patterns patterns, OutputStream output, Exit missing) throws IOException {
        out = output;
        Searcher.Settings settings =
                new Searcher.Settings(patterns, labels, arguments.has("--invert-match"), show(), hasContext);
        List<Lanes<Searched>> all = new ArrayList<>();
        Exit read;
        try (Lanes<Searched> lanes = new Lanes<>(sessions, () -> new Searcher(sessions, settings)::search, (block, found) -> {
            take(block, found, sessions);
            if (isFinished) {
                all.get(0).skipRest();
            }
        })) {
            all.add(lanes);
            read = Unopened.readAll(logs, sessions, Exit.USAGE, (in, number, isFile) -> {
                if (isFound && arguments.has("--quiet")) {
                    return;
                }
                goTo(number);
                try {
                    lanes.read(in, number, isFile);
                } finally {
                    lanes.drain();
                }
            });
        }
        goTo(logs.size());
        out.flush();
        if (!isStopped) {
            labels.warnOfMissing(seen);
        }
        Exit exit = unopened.report().max(Unopened.tooLong(tooLong, "were not searched"));
        exit = exit.max(missing).max(read).max(isFound ? Exit.DONE : Exit.NOT_FOUND);
        // So does grep, whatever else was met.
        return arguments.has("--quiet") && isFound ? Exit.DONE : exit;
    }

    private Show show() {
        return hasSummary() ? Show.NOTHING
                : arguments.has("--json") ? Show.JSON
                : arguments.has("--only-matching") ? Show.MATCHES
                : arguments.has("--sealed") ? Show.SEALED : Show.OPENED;
    }

    private boolean hasSummary() {
        return arguments.has("--quiet") || arguments.has("--files-with-matches") || arguments.has("--count");
    }

    private void take(Block block, Searched found, Sessions sessions) throws IOException {
        if (!isFinished) {
            unopened.add(found.found(), block, sessions);
            seen.addAll(found.found().labels);
            tooLong += block.kind() == Block.Kind.LAST_PIECE ? 1 : 0;
            print(found);
            lines += found.lines();
            places += found.places();
            isFound |= selected > 0;
            boolean isOneEnough = arguments.has("--quiet") || arguments.has("--files-with-matches");
            isFinished = (isOneEnough && selected > 0) || (selected == most && more == 0);
            isStopped |= isFinished;
            out.flush();
        }
        found.wipe();
    }

    private void print(Searched found) throws IOException {
        int start = 0;
        for (Row row : found.rows()) {
            byte[] text = Arrays.copyOfRange(found.text().bytes(), start, row.end());
            start = row.end();
            long line = lines + row.line() + 1;
            long place = places + row.place();
            if (row.isSelected() && selected < most) {
                selected++;
                for (Held one : held) {
                    print(one.line, one.place, '-', one.text);
                }
                held.clear();
                print(line, place, ':', text);
                more = after;
            } else if (more > 0) {
                more--;
                print(line, place, '-', text);
            } else if (before > 0) {
                held.addLast(new Held(line, place, text));
                if (held.size() > before) {
                    held.removeFirst();
                }
            }
            if (selected == most && more == 0) {
                return;
            }
        }
    }

    private void print(long line, long place, char mark, byte[] text) throws IOException {
        if (hasSummary()) {
            return;
        }
        Room room = new Room();
        if (hasContext && isPrinted && next != place) {
            room.write("--\n".getBytes(UTF_8), 0, 3);
        }
        isPrinted = true;
        next = place + 1;
        String prefix = arguments.has("--json") ? "{\"file\":" + Json.quoted(logs.get(input).name()) + ",\"line\":" + line + ","
                : (hasNames ? name() + mark : "") + (arguments.has("--line-number") ? "" + line + mark : "");
        byte[] start = prefix.getBytes(UTF_8);
        // Several matches of a line have a line each.
        for (int from = 0; from < text.length;) {
            int to = Block.lineEnd(text, from, text.length);
            room.write(start, 0, start.length);
            room.write(text, from, to - from);
            from = to;
        }
        room.writeTo(out);
        room.clear();
    }

    private String name() {
        return logs.get(input).isStandardInput() ? "(standard input)" : logs.get(input).name();
    }

    /** Sums up the logs that have no more lines. */
    private void goTo(int number) throws IOException {
        for (; input < number; input++) {
            if (arguments.has("--quiet")) {
                // Nothing is printed.
            } else if (arguments.has("--files-with-matches")) {
                line(selected > 0 ? name() + "\n" : "");
            } else if (arguments.has("--count")) {
                line((hasNames ? name() + ":" : "") + selected + "\n");
            }
            lines = 0;
            places = 0;
            selected = 0;
            more = 0;
            next = -1;
            held.clear();
            isFinished = false;
        }
    }

    private void line(String text) throws IOException {
        byte[] bytes = text.getBytes(UTF_8);
        out.write(bytes, 0, bytes.length);
    }
}
