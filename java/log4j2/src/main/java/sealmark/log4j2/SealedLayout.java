package sealmark.log4j2;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.Serializable;
import java.nio.charset.Charset;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.logging.log4j.Logger;
import org.apache.logging.log4j.core.Layout;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.StringLayout;
import org.apache.logging.log4j.core.config.Configuration;
import org.apache.logging.log4j.core.config.Node;
import org.apache.logging.log4j.core.config.plugins.Plugin;
import org.apache.logging.log4j.core.config.plugins.PluginAttribute;
import org.apache.logging.log4j.core.config.plugins.PluginConfiguration;
import org.apache.logging.log4j.core.config.plugins.PluginElement;
import org.apache.logging.log4j.core.config.plugins.PluginFactory;
import org.apache.logging.log4j.core.impl.LocationAware;
import org.apache.logging.log4j.core.layout.ByteBufferDestination;
import org.apache.logging.log4j.core.layout.PatternLayout;
import org.apache.logging.log4j.core.util.Constants;
import org.apache.logging.log4j.message.FormattedMessage;
import org.apache.logging.log4j.message.LocalizedMessage;
import org.apache.logging.log4j.message.Message;
import org.apache.logging.log4j.message.MessageFormatMessage;
import org.apache.logging.log4j.message.StringFormattedMessage;
import org.apache.logging.log4j.status.StatusLogger;
import sealmark.log.Sealers;
import sealmark.log.SessionLines;
import sealmark.log.Shape;
import sealmark.log.Tokens;

/**
 * A layout around another one that writes lines of text or JSON. It adds the headers and closing tokens that a log with tokens
 * needs.
 *
 * <pre>{@code
 * <File name="app" fileName="app.log">
 *   <SealedLayout>
 *     <PatternLayout pattern="%d %p %sealed{%m}{message} %sealedEx%n"/>
 *   </SealedLayout>
 * </File>
 * }</pre>
 *
 * <p>The header of each session is before the first record with one of its tokens, whichever threads log. Closing tokens are
 * written before a file is rolled over and when it is closed, and the sessions end there. Records are laid out without a lock;
 * closing a file waits up to a second for records that are being laid out, and writes them to it. A record that takes longer may
 * have tokens of the session before: the header is written with them again, and {@code sealmark log verify} then needs both files.
 *
 * <p>Each log has its own sessions, even if its sealer serves several logs. Log4j formats {@code Sealed} parameters once for
 * all appenders, in a session that belongs to no log: a log can be verified alone only if it has every record with such
 * parameters. With asynchronous loggers and filters, such a record may come after a roll-over.
 *
 * <p>{@code shape} is {@code JSON} or {@code PLAIN}; the default depends on the content type of the layout inside.
 *
 * <p>Use it in appenders that write a stream of lines: Console, File, RollingFile, RandomAccessFile, RollingRandomAccessFile,
 * MemoryMappedFile. Appenders that send messages (Kafka, JMS, Http, Syslog, SMTP) have no place for headers, so patterns seal
 * there only if {@code <Sealer>} has a side file. A TCP Socket gets the header once, and not again when it reconnects. With
 * {@code log4j2.enableDirectEncoders=false}, streams are written like messages.
 */
@Plugin(name = "SealedLayout", category = Node.CATEGORY, elementType = Layout.ELEMENT_TYPE, printObject = true)
public final class SealedLayout implements StringLayout, LocationAware {
    private static final Logger LOGGER = StatusLogger.getLogger();

    private final Layout<?> inside;
    private final Shape shape;
    private final Charset charset;
    private final boolean hidesExceptions;
    private volatile Last last;

    private SealedLayout(Layout<?> inside, Shape shape, Configuration configuration) {
        this.inside = inside;
        this.shape = shape;
        hidesExceptions = AddedExceptions.isIn(inside, configuration);
        this.charset = inside instanceof StringLayout text && text.getCharset() != null ? text.getCharset() : UTF_8;
    }

    /**
     * Called by Log4j.
     *
     * @param inside makes the records
     * @param shape {@code JSON}, {@code PLAIN} or null
     * @param configuration the configuration of both layouts
     * @return a layout, even where there is none inside: without one, Log4j would write messages in the clear
     */
    @PluginFactory
    public static SealedLayout create(
            @PluginElement("Layout") Layout<? extends Serializable> inside,
            @PluginAttribute("shape") String shape,
            @PluginConfiguration Configuration configuration) {
        // There may be no <Sealer>, and markers are counted then.
        Endings.add(configuration, inside == null ? configuration : inside, ended -> Sealers.remove(Sealers.DEFAULT, null));
        if (inside == null) {
            LOGGER.error("<SealedLayout> has no layout inside, so no message is written\n"
                    + "hint: <SealedLayout><PatternLayout pattern=\"…\"/></SealedLayout>");
            return new SealedLayout(nothing(configuration), Shape.PLAIN, configuration);
        }
        SealedLayout layout = new SealedLayout(inside, shape(shape, inside), configuration);
        if (!Tokens.areFoundIn(layout.charset)) {
            LOGGER.error("<SealedLayout> cannot find tokens in the charset {}, so no message is written\n"
                    + "hint: charset=\"UTF-8\"", layout.charset);
            return new SealedLayout(nothing(configuration), Shape.PLAIN, configuration);
        }
        // The text that a word was to seal would stand behind it, in the clear.
        if (SealedConverter.words(inside, configuration).stream()
                .anyMatch(word -> word instanceof SealedConverter sealed && sealed.isEmpty())) {
            LOGGER.error("<SealedLayout>: a %sealed in the pattern \"{}\" has no content, so no message is written\n"
                    + "hint: %sealed{%m}{message}", ((PatternLayout) inside).getConversionPattern());
            return new SealedLayout(nothing(configuration), Shape.PLAIN, configuration);
        }
        if (!Constants.ENABLE_DIRECT_ENCODERS) {
            LOGGER.error("<SealedLayout> cannot write headers if log4j2.enableDirectEncoders is false\n"
                    + "hint: remove that setting, or give <Sealer> a sideFile");
        }
        return layout;
    }

    /** The layout that makes the records. */
    static Layout<?> inside(Layout<?> layout) {
        return layout instanceof SealedLayout sealed ? sealed.inside : layout;
    }

    private static Layout<?> nothing(Configuration configuration) {
        return PatternLayout.newBuilder()
                .withConfiguration(configuration)
                .withPattern("%d %p %c ~s1x~message~%n")
                .withAlwaysWriteExceptions(false)
                .build();
    }

    private static Shape shape(String name, Layout<?> inside) {
        String type = String.valueOf(inside.getContentType()).toLowerCase(Locale.ROOT);
        Shape found = type.contains("json") ? Shape.JSON : Shape.PLAIN;
        if (name == null) {
            return found;
        }
        try {
            return Shape.valueOf(name.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException unknown) {
            LOGGER.error("<SealedLayout>: \"{}\" is not a shape\nhint: use JSON or PLAIN", name);
            return found;
        }
    }

    @Override
    public void encode(LogEvent event, ByteBufferDestination destination) {
        stream(destination).write(destination, () -> formatParameters(event.getMessage()), line -> laidOut(() -> {
            inside.encode(shown(event), line);
            return line;
        }));
    }

    private LogEvent shown(LogEvent event) {
        return hidesExceptions ? AddedExceptions.hide(event) : event;
    }

    /** Log4j shows exceptions to its status logger, or to the application, and their messages may be values. */
    private static <T> T laidOut(Supplier<T> record) {
        try {
            return record.get();
        } catch (Throwable error) {
            throw new IllegalStateException("could not format a log event", withoutMessages(error));
        }
    }

    private static Throwable withoutMessages(Throwable error) {
        try {
            return SealedThrowable.withoutMessages(error);
        } catch (Throwable more) {
            return null;
        }
    }

    /**
     * Formats messages that remember their text once for all appenders, in a session of no log: the first one's tokens would
     * be in the logs of the others. A {@code ParameterizedMessage} is formatted anew by each layout.
     */
    static void formatParameters(Message message) {
        boolean remembersIt = message instanceof StringFormattedMessage
                || message instanceof MessageFormatMessage
                || message instanceof FormattedMessage
                || message instanceof LocalizedMessage;
        if (remembersIt) {
            try {
                message.getFormattedMessage();
            } catch (Throwable error) {
                // The layout asks again, perhaps where it is sealed, and perhaps never.
                return;
            }
        }
    }

    private Stream stream(ByteBufferDestination destination) {
        Last known = last;
        if (known == null || known.destination != destination) {
            known = new Last(destination, Stream.of(destination, shape));
            last = known;
        }
        return known.stream;
    }

    /** Mostly the only one. */
    private record Last(ByteBufferDestination destination, Stream stream) {}

    @Override
    public byte[] getHeader() {
        byte[] header = inside.getHeader();
        // It is not known here whose header it is, nor whether it is written: what it needs may come twice.
        return header == null ? null : joined(new SessionLines(shape).before(new String(header, ISO_8859_1)), header);
    }

    @Override
    public byte[] getFooter() {
        Last known = last;
        String closing = (known == null ? "" : known.stream.closing(known.destination)) + Stream.closingOfReleased();
        byte[] footer = inside.getFooter();
        return closing.isEmpty() ? footer : joined(closing, footer == null ? new byte[0] : footer);
    }

    private static byte[] joined(String lines, byte[] bytes) {
        ByteArrayOutputStream both = new ByteArrayOutputStream();
        both.writeBytes(lines.getBytes(US_ASCII));
        both.writeBytes(bytes);
        return both.toByteArray();
    }

    @Override
    public byte[] toByteArray(LogEvent event) {
        byte[] record = laidOut(() -> inside.toByteArray(shown(event)));
        String text = new String(record, ISO_8859_1);
        String sealed = SealedRecordAppender.isHeader(event) ? text : withoutLookalikes(text);
        return sealed.equals(text) ? record : sealed.getBytes(ISO_8859_1);
    }

    @Override
    public String toSerializable(LogEvent event) {
        String record = laidOut(() -> String.valueOf(inside.toSerializable(shown(event))));
        return SealedRecordAppender.isHeader(event) ? record : withoutLookalikes(record);
    }

    /** A message has no stream, so that nothing is remembered of the one before. */
    private String withoutLookalikes(String record) {
        return new SessionLines(shape).withoutLookalikes(Sealers.find(Sealers.DEFAULT), record);
    }

    @Override
    public String getContentType() {
        return inside.getContentType();
    }

    @Override
    public Map<String, String> getContentFormat() {
        return inside.getContentFormat();
    }

    @Override
    public Charset getCharset() {
        return charset;
    }

    @Override
    public boolean requiresLocation() {
        return inside instanceof LocationAware aware && aware.requiresLocation();
    }

    @Override
    public String toString() {
        return "SealedLayout(" + inside + ")";
    }
}
