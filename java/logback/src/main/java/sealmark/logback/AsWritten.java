package sealmark.logback;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.math.BigDecimal;
import java.math.BigInteger;
import net.logstash.logback.mask.ValueMasker;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.StreamWriteCapability;
import tools.jackson.core.StreamWriteFeature;
import tools.jackson.core.TokenStreamContext;
import tools.jackson.core.TokenStreamFactory;
import tools.jackson.core.util.JsonRecyclerPools;

/** Seals strings and numbers as a generator would have written them, whatever its features. */
final class AsWritten implements ValueMasker {
    private final JsonGenerator generator;
    private final SealedFields fields;
    /** Makes what the generator's own would make, and keeps no buffers. */
    private TokenStreamFactory factory;

    AsWritten(JsonGenerator generator, SealedFields fields) {
        this.generator = generator;
        this.fields = fields;
    }

    @Override
    public Object mask(TokenStreamContext context, Object value) {
        return isWrittenAsReadersDo(value)
                ? fields.mask(context, value)
                : fields.maskJson(context, () -> json(value), text(value));
    }

    /** The content of the string that the value is written as. */
    private String text(Object value) {
        boolean isPlain = generator.isEnabled(StreamWriteFeature.WRITE_BIGDECIMAL_AS_PLAIN);
        return isPlain && value instanceof BigDecimal number ? number.toPlainString() : String.valueOf(value);
    }

    private boolean isWrittenAsReadersDo(Object value) {
        return !generator.has(StreamWriteCapability.CAN_WRITE_FORMATTED_NUMBERS)
                || !(value instanceof Number || (value instanceof String text && hasOtherEscapes(text)));
    }

    /** True if it has a character that a generator's features escape, or escape with other digits than readers do. */
    private boolean hasOtherEscapes(String text) {
        int highest = generator.getHighestNonEscapedChar();
        return generator.getCharacterEscapes() != null || text.chars().anyMatch(
                character -> character == '/' || character < ' ' || Character.isSurrogate((char) character)
                        || (highest > 0 && character > highest));
    }

    private String json(Object value) {
        // Bytes, as logs are: characters of two units are escaped in them alone.
        ByteArrayOutputStream json = new ByteArrayOutputStream();
        ObjectWriteContext context = generator.objectWriteContext();
        if (factory == null) {
            factory = withoutPool(context.tokenStreamFactory());
        }
        try (JsonGenerator same = factory.createGenerator(context, json)) {
            if (generator.getCharacterEscapes() != null) {
                same.setCharacterEscapes(generator.getCharacterEscapes());
            }
            StreamWriteFeature plain = StreamWriteFeature.WRITE_BIGDECIMAL_AS_PLAIN;
            same.configure(plain, generator.isEnabled(plain));
            write(value, same);
        }
        return json.toString(UTF_8);
    }

    /** A factory of somebody's own that does not rebuild itself stays as it is. */
    private static TokenStreamFactory withoutPool(TokenStreamFactory factory) {
        TokenStreamFactory same = factory.rebuild().recyclerPool(JsonRecyclerPools.nonRecyclingPool()).build();
        return same.getClass() == factory.getClass() ? same : factory;
    }

    /** Writes values of the types that maskers are shown. */
    private static void write(Object value, JsonGenerator json) {
        if (value instanceof BigDecimal number) {
            json.writeNumber(number);
        } else if (value instanceof BigInteger number) {
            json.writeNumber(number);
        } else if (value instanceof Double number) {
            json.writeNumber(number);
        } else if (value instanceof Float number) {
            json.writeNumber(number);
        } else if (value instanceof Number number) {
            json.writeNumber(number.longValue());
        } else {
            json.writeString(String.valueOf(value));
        }
    }
}
