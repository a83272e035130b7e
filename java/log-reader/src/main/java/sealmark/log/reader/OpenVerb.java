package sealmark.log.reader;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import sealmark.log.reader.Arguments.Option;

/** {@code open}: tokens become what they were, wherever in a line they are. */
final class OpenVerb {
    static final List<Option> OPTIONS = options();

    private final Labels labels;
    private final Sessions sessions;
    private final Unopened unopened = new Unopened();
    private final Set<String> seen = new HashSet<>();
    /** Text was read, and none of it may be a token or a header. */
    private boolean isEmpty = true;
    private boolean isSealed;
    private long tooLong;

    private OpenVerb(Arguments arguments, Sessions sessions) {
        this.sessions = sessions;
        labels = new Labels(arguments.all("--label"), false);
    }

    private static List<Option> options() {
        List<Option> options = new ArrayList<>(KeyFiles.options("log open"));
        options.add(Option.values("--label", 0, "LABEL", "Open only tokens with this label, and leave the others unchanged"
                + " (repeatable)"));
        options.add(Option.flag("--raw", 0, "Print line breaks in values unescaped, outside of JSON strings: a value can then"
                + " add lines to the log"));
        options.addAll(LogFile.elsewhere("open -i key.txt"));
        options.add(Option.value("--output", 'o', "OUT", "Write to this file (\"-\": standard output)"));
        options.add(Option.flag("--force", 'f', "Replace OUT if it exists"));
        return List.copyOf(options);
    }

    static Exit run(Arguments arguments) throws IOException {
        KeyFiles.require(arguments, arguments.rest());
        List<LogFile> logs = LogFile.all(arguments.rest());
        Sessions sessions = KeyFiles.sessions(arguments, true);
        try (Output output = Output.open(arguments.one("--output").orElse(null), arguments.has("--force"), logs)) {
            return new OpenVerb(arguments, sessions).open(logs, arguments.has("--raw") ? Context.RAW : Context.ESCAPED, output);
        } finally {
            sessions.destroy();
        }
    }

    private Exit open(List<LogFile> logs, Context context, Output output) throws IOException {
        Exit exit = Exit.DONE;
        Fault ended = null;
        try (Opening opening = new Opening(sessions, context, labels, this::take, output.stream())) {
            exit = Unopened.readAll(logs, sessions, opening::read);
            output.commit();
        } catch (Fault fault) {
            if (fault.isGone()) {
                throw fault;
            }
            ended = fault;
        }
        if (ended == null) {
            labels.warnOfMissing(seen);
        }
        if (ended == null && !isEmpty && !isSealed) {
            Say.note("nothing was opened: the log has no token and no header");
        }
        exit = exit.max(unopened.report());
        exit = exit.max(Unopened.tooLong(tooLong, "were left as they are"));
        return ended == null ? exit : exit.max(Say.fault(ended));
    }

    private void take(Block block, Findings found) {
        unopened.add(found, block, sessions);
        seen.addAll(found.labels);
        isEmpty &= block.length() == 0;
        isSealed |= found.isSealed;
        tooLong += block.kind() == Block.Kind.LAST_PIECE ? 1 : 0;
    }
}
