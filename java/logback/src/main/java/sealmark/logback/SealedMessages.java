package sealmark.logback;

import static java.nio.charset.StandardCharsets.UTF_8;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.encoder.Encoder;
import ch.qos.logback.core.encoder.LayoutWrappingEncoder;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.util.Iterator;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.BaseStream;
import net.logstash.logback.argument.StructuredArgument;
import net.logstash.logback.decorate.JsonGeneratorDecorator;
import net.logstash.logback.decorate.MapperBuilderDecorator;
import net.logstash.logback.encoder.CompositeJsonEncoder;
import net.logstash.logback.layout.CompositeJsonLayout;
import net.logstash.logback.marker.SingleFieldAppendingMarker;
import org.slf4j.helpers.MessageFormatter;
import sealmark.log.Label;
import sealmark.log.Sealed;
import sealmark.log.Sealers;
import sealmark.log.Tokens;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.std.StdSerializer;

/**
 * Seals arguments in messages where {@link SealedFields} seals their fields: {@code kv("email", email)} stands in both.
 *
 * <p>Which that are is asked of the encoder's decorators, by writing to nowhere through them: an argument's name alone if
 * it has one, and then all of it.
 */
final class SealedMessages {
    private static final String PLACE = "{}";
    /** Makes Jackson refuse what it can write only once, so that it is left to its line. */
    private static final SimpleModule READ_ONCE = new SimpleModule("sealmark: read once")
            .addSerializer(new Refusal(Iterator.class)).addSerializer(new Refusal(BaseStream.class));

    private final JsonGeneratorDecorator decorator;
    private final ObjectMapper mapper;

    private SealedMessages(JsonGeneratorDecorator decorator, MapperBuilderDecorator<?, ?> mapper) {
        this.decorator = decorator;
        this.mapper = mapperOf(mapper);
    }

    /** Seals in events before they are encoded; leaves them as they are if nothing of this encoder seals. */
    static UnaryOperator<ILoggingEvent> of(Encoder<?> encoder) {
        if (encoder instanceof CompositeJsonEncoder<?> json) {
            return of(json.getJsonGeneratorDecorator(), json.getMapperBuilderDecorator());
        }
        if (encoder instanceof LayoutWrappingEncoder<?> text
                && text.getLayout() instanceof CompositeJsonLayout<?> json) {
            return of(json.getJsonGeneratorDecorator(), json.getMapperBuilderDecorator());
        }
        return UnaryOperator.identity();
    }

    private static UnaryOperator<ILoggingEvent> of(
            JsonGeneratorDecorator decorator, MapperBuilderDecorator<?, ?> mapper) {
        SealedMessages messages = new SealedMessages(decorator, mapper);
        return messages.isAnythingSealed() ? messages::sealed : UnaryOperator.identity();
    }

    /** Names fields as the encoder does. */
    @SuppressWarnings({"unchecked", "rawtypes"})
    private static ObjectMapper mapperOf(MapperBuilderDecorator decorator) {
        JsonMapper.Builder builder =
                JsonMapper.builder().disable(SerializationFeature.FAIL_ON_EMPTY_BEANS).findAndAddModules();
        Object decorated = decorator.decorate(builder);
        return (decorated instanceof JsonMapper.Builder json ? json : builder).addModule(READ_ONCE).build();
    }

    private ILoggingEvent sealed(ILoggingEvent event) {
        Object[] arguments = event.getArgumentArray();
        if (arguments == null || event.getMessage() == null || !event.getMessage().contains(PLACE)) {
            return event;
        }
        Object[] sealed = arguments.clone();
        boolean isSealed = false;
        for (int at = 0; at < arguments.length; at++) {
            if (arguments[at] instanceof StructuredArgument argument) {
                sealed[at] = sealed(argument);
                isSealed |= sealed[at] != argument;
            }
        }
        String message = isSealed ? MessageFormatter.arrayFormat(event.getMessage(), sealed).getMessage() : null;
        return !isSealed ? event : new PassedEvent(event) {
            /** The original's is not made, because nobody would write its tokens. */
            @Override
            public String getFormattedMessage() {
                return message;
            }
        };
    }

    /** Its text for the message; itself where nothing of it is sealed. */
    private Object sealed(StructuredArgument argument) {
        if (!(argument instanceof SingleFieldAppendingMarker field)) {
            FieldProbe question = ask(argument::writeTo, "value");
            return question.name != null ? sealed(textOf(argument), question.name, question) : argument;
        }
        String name = field.getFieldName();
        FieldProbe named = ask(json -> writeSome(json, name), name);
        if (named.name != null) {
            String text = textOf(argument);
            if (!isNull(text, name)) {
                return sealed(text, name, named);
            }
        }
        FieldProbe question = ask(argument::writeTo, name);
        return question.name != null ? sealed(textOf(argument), name, question) : argument;
    }

    private FieldProbe ask(Consumer<JsonGenerator> members, String otherwise) {
        FieldProbe question = new FieldProbe();
        ObjectWriter writer = mapper.writer().withAttribute(FieldProbe.class, question);
        try (JsonGenerator plain = writer.createGenerator(OutputStream.nullOutputStream())) {
            JsonGenerator decorated = decorator.decorate(plain);
            question.goWith(decorated, plain);
            write(decorated, members);
        } catch (RuntimeException | StackOverflowError error) {
            // An argument that cannot be looked into may have anything in it.
            question.answer(otherwise, Sealers.DEFAULT);
        }
        return question;
    }

    private boolean isAnythingSealed() {
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        try (JsonGenerator plain = mapper.createGenerator(written)) {
            write(decorator.decorate(plain), json -> writeSome(json, SealedFields.ANY));
        } catch (RuntimeException error) {
            return true;
        }
        return written.toString(UTF_8).contains(SealedFields.ANY_SEALED);
    }

    private static void write(JsonGenerator json, Consumer<JsonGenerator> members) {
        json.writeStartObject();
        members.accept(json);
        json.writeEndObject();
        json.flush();
    }

    private static void writeSome(JsonGenerator json, String name) {
        json.writeName(name);
        json.writeString("some");
    }

    /** True if it may be null, which stays in the clear. */
    private static boolean isNull(String text, String name) {
        return text != null && (text.equals("null") || text.equals(name + "=null"));
    }

    /** Null if it has none. A value that is {@link Sealed} has another one each time. */
    private static String textOf(StructuredArgument argument) {
        try {
            return argument.toString();
        } catch (RuntimeException | StackOverflowError error) {
            return null;
        }
    }

    /** With the name in the clear that {@code kv} writes. */
    private static String sealed(String text, String name, FieldProbe question) {
        Label label = Label.fit(name);
        if (text == null) {
            return Sealers.find(question.sealer).unsealed(label, "toString of an argument of the message failed");
        }
        int clear = text.startsWith(name + "=") ? name.length() + 1 : 0;
        return text.substring(0, clear)
                + Tokens.seal(Sealers.find(question.sealer), label, text.substring(clear));
    }

    private static final class Refusal extends StdSerializer<Object> {
        private Refusal(Class<?> type) {
            super(type);
        }

        @Override
        public void serialize(Object value, JsonGenerator generator, SerializationContext context) {
            throw new IllegalStateException("an iterator or a stream can be read only once");
        }
    }
}
