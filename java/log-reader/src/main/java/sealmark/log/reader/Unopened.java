package sealmark.log.reader;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;

/** Counts of tokens that stayed closed, and why; the worst of it is how the program ends. */
final class Unopened {
    long notText;
    long orphans;
    long noKey;
    long tampered;
    long cutOff;

    /** Reads the log of a number. */
    interface Reads {
        void read(InputStream in, int number) throws IOException;
    }

    /** Reads logs one after the other. Damage of a compressed log is told, and the next one goes on. */
    static Exit readAll(List<LogFile> logs, Reads reads) throws IOException {
        return readAll(logs, Exit.DAMAGED, reads);
    }

    /** Goes on after a fault that is as bad as {@code least} or worse. */
    static Exit readAll(List<LogFile> logs, Exit least, Reads reads) throws IOException {
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
            reads.read(in, number);
            return null;
        } catch (Fault ofOutput) {
            throw ofOutput;
        } catch (IOException error) {
            return log.fault(error);
        }
    }

    void add(Findings found) {
        notText += found.notText;
        orphans += found.orphans;
        noKey += found.noKey;
        tampered += found.tampered;
        cutOff += found.cutOff;
    }

    boolean isNone() {
        return notText + orphans + noKey + tampered == 0;
    }

    /** How to end because of them. */
    Exit exit() {
        return notText + tampered > 0 ? Exit.DAMAGED : orphans + noKey > 0 ? Exit.NO_KEY : Exit.DONE;
    }

    /** Says what stayed closed. */
    Exit report() {
        if (cutOff > 0) {
            Say.warning(Say.many(cutOff, "token") + " cut off and left as " + (cutOff == 1 ? "it is" : "they are"),
                    "check whether a disk was full or a relay cuts long lines");
        }
        warn(notText, "the value is not text, but this place in the line can hold only text",
                "check whether the line was altered around the token");
        warn(orphans, "the header of the session is not in the log", "pass a file that has it with --side-file");
        warn(noKey, "none of the keys opens the session", "pass another key with -i or --psk");
        warn(tampered, "authentication failed", "get the log again from where it was sealed");
        return exit();
    }

    private static void warn(long count, String why, String hint) {
        if (count > 0) {
            Say.warning(Say.many(count, "token") + " not opened: " + why, hint);
        }
    }

    /** Says how many lines were too long to look at. */
    static Exit tooLong(long lines, String what) {
        if (lines == 0) {
            return Exit.DONE;
        }
        Say.line("error: " + Say.many(lines, "line") + " longer than " + (BlockReader.LONGEST >> 20) + " MiB " + what);
        return Exit.IO;
    }
}
