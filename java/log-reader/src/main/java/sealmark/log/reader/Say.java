package sealmark.log.reader;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Messages: lines on standard error that begin with {@code error:}, {@code hint:}, {@code warning:} or {@code note:}. */
final class Say {
    private static final Pattern SECRET = Pattern.compile("(?i)(SECRET-KEY-)|(?<=SECRET-KEY-.{0,9999})[A-Z0-9]{13,}");

    private Say() {}

    /** Says what went wrong and what to type; returns how to end. */
    static Exit fault(Fault fault) {
        String mark = "error: ";
        for (String line : fault.lines()) {
            line(mark + line);
            mark = "";
        }
        return fault.exit();
    }

    static void warning(String text, String hint) {
        line("warning: " + text);
        line("hint: " + hint);
    }

    static void note(String text) {
        line("note: " + text);
    }

    /** A number and its noun. */
    static String many(long number, String what) {
        return number + " " + what + (number == 1 ? "" : "s");
    }

    /** A name as messages quote it. */
    static String quoted(Object name) {
        StringBuilder quoted = new StringBuilder("\"");
        name.toString().codePoints().forEach(letter -> {
            switch (letter) {
                case '"', '\\' -> quoted.append('\\').appendCodePoint(letter);
                case '\n' -> quoted.append("\\n");
                case '\r' -> quoted.append("\\r");
                case '\t' -> quoted.append("\\t");
                default -> {
                    if (Character.isISOControl(letter)) {
                        quoted.append(String.format(Locale.ROOT, "\\u{%x}", letter));
                    } else {
                        quoted.appendCodePoint(letter);
                    }
                }
            }
        });
        return quoted.append('"').toString();
    }

    /** One line on standard error. Text that was typed or read and is quoted here does not drive the terminal. */
    static void line(String text) {
        StringBuilder shown = new StringBuilder();
        withoutSecrets(text).codePoints().map(letter -> Character.isISOControl(letter) ? '?' : letter)
                .forEach(shown::appendCodePoint);
        byte[] bytes = shown.append('\n').toString().getBytes(UTF_8);
        try {
            // System.err would encode by the locale.
            standardError().write(bytes);
        } catch (IOException closed) {
            // The work goes on without messages.
            return;
        }
    }

    @SuppressWarnings("resource") // Standard error stays open.
    private static FileOutputStream standardError() {
        return new FileOutputStream(FileDescriptor.err);
    }

    /** Removes secret keys from text that a message quotes, because messages are logged. */
    static String withoutSecrets(String text) {
        return SECRET.matcher(text).replaceAll(found -> Matcher.quoteReplacement(found.group(1) == null ? "…" : found.group()));
    }
}
