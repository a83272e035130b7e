package sealmark.log.reader;

import java.io.EOFException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.Locale;
import java.util.zip.ZipException;

/** An error as the user sees it: one sentence, a hint to type next, and how the program ends. */
final class Fault extends IOException {
    private static final long serialVersionUID = 1L;

    private final Exit exit;

    private Fault(Exit exit, String message, Throwable cause) {
        super(message, cause);
        this.exit = exit;
    }

    static Fault usage(String message, String hint) {
        return of(Exit.USAGE, message, hint);
    }

    static Fault of(Exit exit, String message, String hint) {
        return new Fault(exit, message + "\nhint: " + hint, null);
    }

    /** For what the library refuses, with its own words. */
    static Fault refused(RuntimeException refusal) {
        return new Fault(Exit.USAGE, refusal.getMessage(), refusal);
    }

    /** An error of the system, in our style. */
    static Fault of(IOException error) {
        if (error instanceof Fault fault) {
            return fault;
        }
        if (error instanceof EOFException) {
            return of(Exit.DAMAGED, "the compressed log is cut off", "get it again from where it was compressed");
        }
        if (error instanceof ZipException) {
            return of(Exit.DAMAGED, "the compressed log is damaged", "get it again from where it was compressed");
        }
        return new Fault(Exit.IO, words(error), error);
    }

    private static String words(IOException error) {
        String text = error instanceof NoSuchFileException ? "no such file or directory"
                : error instanceof AccessDeniedException ? "permission denied"
                : error instanceof FileSystemException system ? system.getReason() : error.getMessage();
        if (text == null || text.isEmpty()) {
            return "unknown input or output error";
        }
        // The text of musl; glibc has the other one.
        String words = text.equals("I/O error") ? "input/output error"
                : text.substring(0, 1).toLowerCase(Locale.ROOT) + text.substring(1);
        return words.contains("no space left") ? words + "\nhint: make room, or choose another place with -o" : words;
    }

    /** True if the program that reads the output ended, as a pipe to {@code head} does. */
    boolean isGone() {
        return getMessage().contains("roken pipe");
    }

    /** Puts the thing that was worked on in front. */
    Fault about(String subject) {
        return new Fault(exit, subject + ": " + getMessage(), this);
    }

    Exit exit() {
        return exit;
    }

    /** The sentence, and hints. */
    List<String> lines() {
        return getMessage().lines().toList();
    }
}
