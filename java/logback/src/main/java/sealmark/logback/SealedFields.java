package sealmark.logback;

import ch.qos.logback.core.spi.ContextAwareBase;
import ch.qos.logback.core.spi.LifeCycle;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import net.logstash.logback.decorate.JsonGeneratorDecorator;
import net.logstash.logback.mask.PathBasedFieldMasker;
import net.logstash.logback.mask.ValueMasker;
import sealmark.log.Label;
import sealmark.log.LogSealer;
import sealmark.log.Sealed;
import sealmark.log.Sealers;
import sealmark.log.Tokens;
import sealmark.log.ValueNames;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.TokenStreamContext;

/**
 * Seals fields of the JSON that logstash-logback-encoder writes, by name or path. It is a decorator of the encoder,
 *
 * <pre>{@code
 * <decorator class="sealmark.logback.SealedFields">
 *   <field>email</field>
 *   <path>/order/card</path>
 * </decorator>
 * }</pre>
 *
 * or a {@code <valueMasker>} of its {@code MaskingJsonGeneratorDecorator}. A masker sees only strings and numbers, so that
 * {@code true}, {@code false}, bytes and raw JSON stay in the clear. With the decorator, values open exactly as the encoder
 * would have written them. With the masker, they open as Jackson writes them by default, except that control characters get
 * hexadecimal digits in lower case.
 *
 * <p><b>It needs logstash-logback-encoder 9.0 or later</b>, which uses Jackson 3. With an earlier version, the appenders of
 * this package write nothing, and Logback's statuses have an error; other appenders would write in the clear.
 *
 * <p><b>Put the encoder into one of this package's appenders</b>, which write the headers and also seal arguments in the
 * message. In another appender, everything is sealed except {@code @timestamp}, {@code @version}, {@code level},
 * {@code level_value}, {@code logger_name} and {@code thread_name}, and Logback's statuses have an error. Without a side file
 * of the sealer, values become markers there.
 *
 * <p>If no field or path is chosen, everything is sealed, and Logback's statuses have an error. If a field or path matches
 * nothing, a warning names it after 1,000 records and when Logback stops.
 *
 * <p>In an object or array, each value is sealed under the name of its own field; names and {@code null} stay in the clear.
 * Numbers, {@code true} and {@code false} open as they were, in place of the string that their token fills; numbers that are
 * written as text do so only with the decorator. The decorator looks into raw JSON. If a whole field of raw JSON is to be
 * sealed and is on one line, it opens as JSON, and otherwise as a string; so does text that is not JSON. Text that an
 * argument writes in pieces with Jackson's {@code writeRaw} is sealed piece by piece in chosen fields, and is not searched
 * elsewhere.
 *
 * <p>Arguments such as {@code kv("email", email)} are also in the message, if it has a {@code {}} for them. They are sealed
 * there like their fields, if the encoder is in one of this package's appenders. <b>Other text in a message is not found:
 * concatenated text, plain arguments, arguments within lists and other objects, and fields that a {@code <path>} from the root
 * chooses if the arguments have a field around them. Write {@code kv("email", Sealed.of("email", email))} there.</b> A message
 * with sealed arguments is formatted again: behind an {@code AsyncAppender}, {@code verify} reports the tokens of its {@link
 * Sealed} arguments as missing.
 *
 * <p>Before a line is written, the decorator checks whether each argument in the message has something to seal: by its name
 * alone, or, if that is not chosen, by writing it to a discarded output, which calls its getters once more. An
 * {@code Iterator} or a {@code Stream} can be read only once, so it is not checked, and is sealed in the message. The same
 * applies to all structured arguments if another decorator, such as one with Jackson's {@code FilteringGeneratorDelegate},
 * prevents the check. If a {@code StructuredArgument} reads an iterator in its own {@code writeTo}, the check uses it up, and
 * the line lacks it.
 */
// An application that uses this has the libraries that it is made for.
@SuppressWarnings("exports")
public final class SealedFields extends ContextAwareBase
        implements ValueMasker, JsonGeneratorDecorator, LifeCycle {
    /** A field that each seals, so that it is noticed where there is one. Strangers, who choose keys of maps, do not know it. */
    static final String ANY = "sealmark:" + UUID.randomUUID();
    /** The marker that it is sealed to. */
    static final String ANY_SEALED = Label.of("any").unsealed();

    /** Fields of the encoder's own that no argument can fill. */
    private static final Set<String> CLEAR =
            Set.of("@timestamp", "@version", "level", "level_value", "logger_name", "thread_name");

    private final Set<String> names = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
    private final Map<String, PathBasedFieldMasker> paths = new LinkedHashMap<>();
    private String sealer = Sealers.DEFAULT;
    private ValueNames counts = new ValueNames(Set.of(), warning -> {});
    private boolean isStarted;
    /** An appender of this package writes what is sealed here. */
    private volatile boolean isOurs;
    private final AtomicBoolean hasComplained = new AtomicBoolean();

    /** A masker that seals everything until it is given a field or path. */
    public SealedFields() {}

    /**
     * Adds a field, wherever it stands.
     *
     * @param name its name, regardless of case; an empty name is ignored
     */
    public void addField(String name) {
        if (!name.isBlank()) {
            names.add(name.trim());
        }
    }

    /**
     * Adds a field by its place.
     *
     * @param path as in {@link PathBasedFieldMasker}: {@code /order/card} from the root on, {@code order/card} anywhere
     */
    public void addPath(String path) {
        paths.put(path.trim(), new PathBasedFieldMasker(path.trim(), true));
    }

    /**
     * Chooses the sealer.
     *
     * @param sealer {@link Sealers#DEFAULT} by default
     */
    public void setSealer(String sealer) {
        this.sealer = sealer.trim();
    }

    /** Called by Logback: complains if nothing was chosen. */
    @Override
    public void start() {
        isStarted = true;
        if (isEverythingToBeSealed()) {
            Statuses.error(this, "<" + getClass().getName() + "> names no field, and everything is sealed"
                    + "\nhint: <field>email</field>");
        }
        Set<String> all = new TreeSet<>(names);
        all.addAll(paths.keySet());
        counts = UnmatchedNames.of(this, all, "<" + getClass().getName() + ">",
                "<field> takes the name of a JSON field, <path> its path, such as /user/email");
    }

    @Override
    public void stop() {
        isStarted = false;
    }

    @Override
    public boolean isStarted() {
        return isStarted;
    }

    @Override
    public JsonGenerator decorate(JsonGenerator generator) {
        return new SealingGenerator(generator, this);
    }

    @Override
    public Object mask(TokenStreamContext context, Object value) {
        if (isFirstOfRecord(context)) {
            counts.record();
        }
        return value != null && isToBeSealed(context)
                ? sealed(context, name -> sealed(name, value))
                : null;
    }

    private static boolean isFirstOfRecord(TokenStreamContext context) {
        return !context.hasCurrentIndex() && context.inObject() && context.getParent().inRoot()
                && !ANY.equals(context.currentName()) && FieldProbe.of(context) == null;
    }

    /** Tokens in a text, such as a message whose arguments were sealed, stay as they are. */
    private String sealed(String name, Object value) {
        return value instanceof String text ? Tokens.seal(here(), Label.fit(name), text)
                : Tokens.sealInJson(here(), Label.fit(name), value);
    }

    /** The sealer; one that makes markers in an appender that writes no headers, which an error has told of. */
    private LogSealer here() {
        return Sealers.forLine(sealer, () -> {});
    }

    /** Masks as {@link #mask} does, but a value that is written as JSON; {@code text} is as in {@link Tokens#sealJson}. */
    String maskJson(TokenStreamContext context, Supplier<String> json, String text) {
        return isToBeSealed(context)
                ? sealed(context, name -> Tokens.sealJson(here(), Label.fit(name), json.get(), text))
                : null;
    }

    /** Seals a value that cannot be looked into, wherever it stands. */
    String sealedWhole(TokenStreamContext context, String value) {
        return sealed(context, name -> sealed(name, value));
    }

    private String sealed(TokenStreamContext context, UnaryOperator<String> sealedAs) {
        String name = nearestName(context);
        FieldProbe question = FieldProbe.of(context);
        if (question != null) {
            question.answer(name, sealer);
            return "";
        }
        if (name.equals(ANY)) {
            isOurs = true;
            return ANY_SEALED;
        }
        return sealedAs.apply(name);
    }

    private static String nearestName(TokenStreamContext context) {
        for (TokenStreamContext at = context; at != null; at = at.getParent()) {
            if (at.hasCurrentName()) {
                return at.currentName();
            }
        }
        return "value";
    }

    private boolean isEverythingToBeSealed() {
        return names.isEmpty() && paths.isEmpty();
    }

    private boolean isToBeSealed(TokenStreamContext context) {
        for (TokenStreamContext at = context; at != null; at = at.getParent()) {
            if (isNamed(at)) {
                return true;
            }
        }
        return isEverythingToBeSealed() || isPerhapsMessage(context);
    }

    private boolean isNamed(TokenStreamContext at) {
        if (at.hasCurrentName() && (names.contains(at.currentName()) || at.currentName().equals(ANY))) {
            counts.matched(at.currentName());
            return true;
        }
        for (Map.Entry<String, PathBasedFieldMasker> path : paths.entrySet()) {
            if (path.getValue().mask(at) != null) {
                counts.matched(path.getKey());
                return true;
            }
        }
        return false;
    }

    /** The message may have arguments in it, and the encoder may write it in any field. */
    private boolean isPerhapsMessage(TokenStreamContext context) {
        if (isOurs) {
            return false;
        }
        if (hasComplained.compareAndSet(false, true)) {
            Statuses.error(this, "<" + getClass().getName() + "> is not inside a Sealmark appender: nearly everything is sealed,"
                    + " and no header is written\nhint: <appender class=\"sealmark.logback.SealedConsoleAppender\">");
        }
        return !(context.hasCurrentName() && CLEAR.contains(context.currentName())
                && context.getParent() != null && context.getParent().inRoot());
    }
}
