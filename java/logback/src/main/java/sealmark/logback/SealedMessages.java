package sealmark.logback;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.encoder.Encoder;
import ch.qos.logback.core.encoder.LayoutWrappingEncoder;
import java.io.OutputStream;
import java.util.function.UnaryOperator;
import net.logstash.logback.argument.StructuredArgument;
import net.logstash.logback.decorate.JsonGeneratorDecorator;
import net.logstash.logback.decorate.MapperBuilderDecorator;
import net.logstash.logback.encoder.CompositeJsonEncoder;
import net.logstash.logback.layout.CompositeJsonLayout;
import net.logstash.logback.marker.SingleFieldAppendingMarker;
import org.slf4j.helpers.MessageFormatter;
import sealmark.log.Label;
import sealmark.log.Sealers;
import sealmark.log.Tokens;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * Seals arguments in messages where {@link SealedFields} seals their fields: {@code kv("email", email)} stands in both.
 *
 * <p>Which that are is asked of the encoder's decorators, by writing an argument through them to nowhere.
 */
final class SealedMessages {
    private static final String PLACE = "{}";

    private final JsonGeneratorDecorator decorator;
    private final ObjectMapper mapper;

    private SealedMessages(JsonGeneratorDecorator decorator, MapperBuilderDecorator<?, ?> mapper) {
        this.decorator = decorator;
        this.mapper = mapperOf(mapper);
    }

    /** Seals in events before they are encoded; leaves them as they are if that is no encoder with decorators. */
    static UnaryOperator<ILoggingEvent> of(Encoder<?> encoder) {
        if (encoder instanceof CompositeJsonEncoder<?> json) {
            return new SealedMessages(json.getJsonGeneratorDecorator(), json.getMapperBuilderDecorator())::sealed;
        }
        if (encoder instanceof LayoutWrappingEncoder<?> text
                && text.getLayout() instanceof CompositeJsonLayout<?> json) {
            return new SealedMessages(json.getJsonGeneratorDecorator(), json.getMapperBuilderDecorator())::sealed;
        }
        return UnaryOperator.identity();
    }

    /** Names fields as the encoder does. */
    @SuppressWarnings({"unchecked", "rawtypes"})
    private static ObjectMapper mapperOf(MapperBuilderDecorator decorator) {
        JsonMapper.Builder builder =
                JsonMapper.builder().disable(SerializationFeature.FAIL_ON_EMPTY_BEANS).findAndAddModules();
        Object decorated = decorator.decorate(builder);
        return decorated instanceof JsonMapper.Builder json ? json.build() : builder.build();
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
                Question question = Question.ask(() -> write(argument));
                if (question.name() != null) {
                    sealed[at] = sealed(argument, question);
                    isSealed = true;
                }
            }
        }
        return isSealed
                ? new Anew(event, MessageFormatter.arrayFormat(event.getMessage(), sealed).getMessage())
                : event;
    }

    private void write(StructuredArgument argument) {
        try (JsonGenerator plain = mapper.createGenerator(OutputStream.nullOutputStream())) {
            JsonGenerator decorated = decorator.decorate(plain);
            decorated.writeStartObject();
            argument.writeTo(decorated);
            decorated.writeEndObject();
        } catch (RuntimeException | StackOverflowError error) {
            // What cannot be looked into may have anything in it.
            Question.answer(name(argument, "value"), Sealers.DEFAULT);
        }
    }

    /** Its text, with the name in clear that {@code kv} writes. */
    private static String sealed(StructuredArgument argument, Question question) {
        String text = String.valueOf(argument);
        String name = name(argument, question.name());
        int clear = text.startsWith(name + "=") ? name.length() + 1 : 0;
        return text.substring(0, clear)
                + Tokens.seal(Sealers.find(question.sealer()), Label.fit(name), text.substring(clear));
    }

    private static String name(StructuredArgument argument, String otherwise) {
        return argument instanceof SingleFieldAppendingMarker field ? field.getFieldName() : otherwise;
    }

    /** An event whose message was made anew; the other one is not made, as nobody writes its tokens. */
    private static final class Anew extends PassedEvent {
        private final String message;

        private Anew(ILoggingEvent original, String message) {
            super(original);
            this.message = message;
        }

        @Override
        public String getFormattedMessage() {
            return message;
        }

        @Override
        public void prepareForDeferredProcessing() {
            original.getThreadName();
            original.getMDCPropertyMap();
        }
    }
}
