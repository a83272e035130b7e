package sealmark.jul;

import java.text.AttributedCharacterIterator;
import java.text.MessageFormat;
import java.util.MissingResourceException;
import java.util.logging.LogRecord;
import java.util.regex.Pattern;
import sealmark.log.Label;
import sealmark.log.Sealers;
import sealmark.log.Tokens;

/** Records whose messages, parameters and exceptions are sealed. */
final class SealedRecords {
    private static final Label MESSAGE = Label.of("message");
    private static final Label EXCEPTION = Label.of("exception");
    /** Names no field (spec/record.md, "Grammar"). */
    private static final Label PARAMETER = Label.of("match");
    /** Messages without it are not formatted. */
    private static final Pattern PLACE = Pattern.compile("\\{\\d");
    private static final String JBOSS = "org.jboss.logmanager.ExtLogRecord";

    private final String sealer;
    private final boolean messages;
    private final boolean parameters;
    private final boolean exceptions;

    SealedRecords(String sealer, boolean messages, boolean parameters, boolean exceptions) {
        this.sealer = sealer;
        this.messages = messages;
        this.parameters = parameters;
        this.exceptions = exceptions;
    }

    /** The record itself if a formatter may see all of it. */
    LogRecord sealed(LogRecord record) {
        boolean isJboss = isJboss(record);
        String message = messages ? sealed(MESSAGE, isJboss ? JbossRecords.message(record) : message(record, false))
                : !parameters || !hasParameters(record) ? null
                : isJboss && !JbossRecords.isMessageFormat(record) ? sealed(MESSAGE, JbossRecords.message(record))
                : message(record, true);
        Throwable thrown = record.getThrown();
        boolean isThrownSealed = exceptions && thrown != null;
        if (isJboss) {
            // It keeps its formatted message, with tokens of the log that was first.
            return JbossRecords.copy(record, message, isThrownSealed ? sealed(thrown) : thrown);
        }
        return message == null && !isThrownSealed ? record
                : new PassedRecord(record, message, isThrownSealed ? sealed(thrown) : thrown);
    }

    /** JBoss LogManager wraps records of others in a class of its own. An application without it has no class to ask. */
    private static boolean isJboss(LogRecord record) {
        for (Class<?> type = record.getClass(); type != LogRecord.class; type = type.getSuperclass()) {
            if (type.getName().equals(JBOSS)) {
                return true;
            }
        }
        return false;
    }

    private Throwable sealed(Throwable thrown) {
        return SealedThrown.of(thrown, text -> sealed(EXCEPTION, text));
    }

    /** Tokens in a text stay as they are. */
    private String sealed(Label label, String text) {
        return text == null ? null : Tokens.seal(Sealers.find(sealer), label, text);
    }

    private static boolean hasParameters(LogRecord record) {
        return record.getParameters() != null && record.getParameters().length > 0;
    }

    /** The text that {@code Formatter.formatMessage} makes, with the text of each parameter sealed if that is wanted. */
    private String message(LogRecord record, boolean isSealed) {
        String format = record.getMessage();
        if (format != null && record.getResourceBundle() != null) {
            try {
                format = record.getResourceBundle().getString(format);
            } catch (MissingResourceException | ClassCastException itself) {
                format = record.getMessage();
            }
        }
        if (format == null || !hasParameters(record) || !PLACE.matcher(format).find()) {
            return format;
        }
        AttributedCharacterIterator text;
        try {
            text = new MessageFormat(format).formatToCharacterIterator(record.getParameters());
        } catch (RuntimeException failed) {
            // The format may be wrong, or the toString of a parameter fail: Formatter.formatMessage gives the format, too.
            return format;
        }
        StringBuilder message = new StringBuilder();
        while (text.getIndex() < text.getEndIndex()) {
            boolean isParameter = text.getAttribute(MessageFormat.Field.ARGUMENT) != null;
            String run = run(text, text.getRunLimit(MessageFormat.Field.ARGUMENT));
            message.append(isSealed && isParameter ? sealed(PARAMETER, run) : run);
        }
        return message.toString();
    }

    private static String run(AttributedCharacterIterator text, int end) {
        StringBuilder run = new StringBuilder();
        // The end is told by the index alone, because a text may have U+FFFF, which CharacterIterator.DONE equals.
        for (char unit = text.current(); text.getIndex() < end; unit = text.next()) {
            run.append(unit);
        }
        return run.toString();
    }
}
