package sealmark.spark;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Finds the reason of a failed job in Spark's exceptions, which have it as text of a remote stack trace. */
final class Causes {
    /** The exceptions of this library's own tasks, and of file systems. */
    private static final Pattern REMOTE = Pattern.compile(
            "(?:java\\.io\\.\\w+|sealmark\\.spark\\.[\\w$]+|java\\.lang\\.Illegal\\w+): (.*?)\\n\\tat ", Pattern.DOTALL);

    private Causes() {}

    static String words(Throwable thrown) {
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            if (cause.getMessage() != null) {
                Matcher remote = REMOTE.matcher(cause.getMessage());
                if (remote.find()) {
                    return remote.group(1);
                }
            }
        }
        Throwable last = thrown;
        while (last.getCause() != null) {
            last = last.getCause();
        }
        return String.valueOf(last.getMessage());
    }
}
