package sealmark.spark;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import sealmark.log.reader.OpenReport;

/**
 * Tokens by what became of them, told as {@code sealmark log open} tells them.
 *
 * @param longLines lines of more than 16 MiB, which were left as they are
 * @param headers headers that were left out, because one file has too many
 */
record Counts(long opened, long orphans, long noKey, long tampered, long notText, long cutOff, long longLines, long headers)
        implements Serializable {
    static final Counts NONE = new Counts(0, 0, 0, 0, 0, 0, 0, 0);

    static Counts of(long opened, OpenReport report, long longLines) {
        return new Counts(opened, report.orphans(), report.noKey(), report.tampered(), report.notText(),
                report.cutOff(), longLines, 0);
    }

    Counts plus(Counts more) {
        return new Counts(opened + more.opened, orphans + more.orphans, noKey + more.noKey, tampered + more.tampered,
                notText + more.notText, cutOff + more.cutOff, longLines + more.longLines, headers + more.headers);
    }

    Counts minus(Counts before) {
        return new Counts(opened - before.opened, orphans - before.orphans, noKey - before.noKey, tampered - before.tampered,
                notText - before.notText, cutOff - before.cutOff, longLines - before.longLines, headers - before.headers);
    }

    /** The worst, as an exit code. */
    int exit() {
        if (notText + tampered > 0) {
            return Exit.DAMAGED;
        }
        return orphans + noKey > 0 ? Exit.NO_KEY : longLines + headers > 0 ? Exit.IO : Exit.DONE;
    }

    /** A warning with its hint for each kind of token that was not opened. */
    List<String> warnings() {
        List<String> warnings = new ArrayList<>();
        if (cutOff > 0) {
            warnings.add(many(cutOff, "token") + " cut off and left as " + (cutOff == 1 ? "it is" : "they are")
                    + "\nhint: check whether a disk was full or a relay cuts long lines");
        }
        add(warnings, notText, "the value is not text, but this place in the line can contain only text",
                "check whether the line was altered around the token");
        add(warnings, orphans, "the header of the session is in none of the files",
                "pass a table that has it with --sessions");
        add(warnings, noKey, "none of the keys opens the session", "pass another key with -i");
        add(warnings, tampered, "authentication failed", "get the log again from where it was sealed");
        if (longLines > 0) {
            warnings.add(many(longLines, "line") + " longer than 16 MiB left as " + (longLines == 1 ? "it is" : "they are"));
        }
        return warnings;
    }

    private static void add(List<String> warnings, long number, String why, String hint) {
        if (number > 0) {
            warnings.add(many(number, "token") + " not opened: " + why + "\nhint: " + hint);
        }
    }

    static String many(long number, String thing) {
        return number + " " + thing + (number == 1 ? "" : "s");
    }
}
