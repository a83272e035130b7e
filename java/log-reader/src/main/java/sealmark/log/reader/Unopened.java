package sealmark.log.reader;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Counts the tokens that were not opened in any of the logs. The worst reason decides the exit code. */
final class Unopened extends TokenCounts {
    private static final int MOST_ORPHANED = 1 << 10;
    /** A message names at most this many sessions. */
    private static final int NAMED = 3;

    /** Holds the sessions of at least some of the orphans. */
    private final Set<String> orphaned = new TreeSet<>();

    /** Reads the log of a number. */
    interface Reads {
        void read(InputStream in, int number, boolean isFile) throws IOException;
    }

    /** Reads logs one after the other. It reports a damaged compressed log and goes on with the next one. */
    static Exit readAll(List<LogFile> logs, Sessions sessions, Reads reads) throws IOException {
        return readAll(logs, sessions, Exit.DAMAGED, reads);
    }

    /**
     * Goes on after a fault that is as bad as {@code least} or worse. A header may come after its tokens: files are read once more
     * for it, and streams wait within bounds.
     */
    static Exit readAll(List<LogFile> logs, Sessions sessions, Exit least, Reads reads) throws IOException {
        sessions.mayLearnFrom(logs.stream().filter(LogFile::isFile).toList());
        Exit exit = Exit.DONE;
        for (int number = 0; number < logs.size(); number++) {
            LogFile log = logs.get(number);
            Fault fault = read(log, number, reads);
            if (fault != null && fault.exit().compareTo(least) < 0) {
                throw fault;
            }
            exit = fault == null ? exit : exit.max(Say.fault(fault));
        }
        return exit;
    }

    /** Returns what was wrong with the log, and throws what is wrong with the output. */
    private static Fault read(LogFile log, int number, Reads reads) throws IOException {
        InputStream in;
        try {
            in = log.open();
        } catch (IOException error) {
            return log.fault(error);
        }
        try (in) {
            reads.read(in, number, log.isFile());
            return null;
        } catch (Fault ofOutput) {
            throw ofOutput;
        } catch (IOException error) {
            return log.fault(error);
        }
    }

    /** Adds the findings of a block. */
    void add(Findings found, Block block, Sessions sessions) {
        if (found.orphans > 0) {
            sessions.addOrphaned(block.text(), block.from(), block.to(), orphaned, MOST_ORPHANED);
        }
        add(found);
    }

    void add(Findings found) {
        add(found, 1);
    }

    boolean isNone() {
        return notText + orphans + noKey + tampered == 0;
    }

    /** Returns the exit code that these tokens require. */
    Exit exit() {
        return notText + tampered > 0 ? Exit.DAMAGED : orphans + noKey > 0 ? Exit.NO_KEY : Exit.DONE;
    }

    /** Prints why tokens were not opened. */
    Exit report() {
        if (cutOff > 0) {
            Say.warning(Say.many(cutOff, "token") + " cut off and left as " + (cutOff == 1 ? "it is" : "they are"),
                    "check whether a disk was full or a relay cuts long lines");
        }
        warn(notText, "the value is not text, but this place in the line can contain only text",
                "check whether the line was altered around the token");
        warn(orphans, missingHeaders(), "pass a file that has it with --side-file");
        warn(noKey, "none of the keys opens the session", "pass another key with -i or --psk");
        warn(tampered, "authentication failed", "get the log again from where it was sealed");
        return exit();
    }

    private String missingHeaders() {
        String named = orphaned.stream().limit(NAMED).collect(Collectors.joining(", "));
        return orphaned.size() == 1
                ? "the header of session " + named + " is not in the log"
                : "the headers of their sessions are not in the log (" + named + (orphaned.size() > NAMED ? ", …" : "") + ")";
    }

    private static void warn(long count, String why, String hint) {
        if (count > 0) {
            Say.warning(Say.many(count, "token") + " not opened: " + why, hint);
        }
    }

    /** Prints how many lines were too long to read. */
    static Exit tooLong(long lines, String what) {
        if (lines == 0) {
            return Exit.DONE;
        }
        Say.line("error: " + Say.many(lines, "line") + " longer than " + (BlockReader.LONGEST >> 20) + " MiB " + what);
        return Exit.IO;
    }
}
