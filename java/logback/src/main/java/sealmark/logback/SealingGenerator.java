package sealmark.logback;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.Reader;
import java.util.Arrays;
import java.util.List;
import net.logstash.logback.mask.MaskingJsonGenerator;
import sealmark.log.Tokens;
import tools.jackson.core.Base64Variant;
import tools.jackson.core.Base64Variants;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.SerializableString;
import tools.jackson.core.TokenStreamFactory;
import tools.jackson.core.exc.JacksonIOException;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.util.JsonRecyclerPools;

/** Shows the masker what the encoder's own generator does not: booleans, bytes, raw JSON, and text of other kinds. */
final class SealingGenerator extends MaskingJsonGenerator {
    /** Keeps nothing of what it reads: neither buffers nor names. */
    private static final JsonFactory JSON = JsonFactory.builder()
            .recyclerPool(JsonRecyclerPools.nonRecyclingPool())
            .disable(TokenStreamFactory.Feature.CANONICALIZE_PROPERTY_NAMES)
            .build();

    private final SealedFields fields;

    SealingGenerator(JsonGenerator delegate, SealedFields fields) {
        super(delegate, List.of(), List.of(new AsWritten(delegate, fields)));
        this.fields = fields;
    }

    @Override
    public JsonGenerator writeBoolean(boolean state) {
        return isSealed(state) ? this : super.writeBoolean(state);
    }

    @Override
    public JsonGenerator writeNumber(String digits) {
        return isSealedJson(digits, digits) ? this : super.writeNumber(digits);
    }

    @Override
    public JsonGenerator writeNumber(char[] digits, int offset, int length) {
        return writeNumber(new String(digits, offset, length));
    }

    @Override
    public JsonGenerator writeArray(String[] texts, int offset, int length) {
        _verifyOffsets(texts.length, offset, length);
        writeStartArray(texts, length);
        for (int at = offset; at < offset + length; at++) {
            writeString(texts[at]);
        }
        return writeEndArray();
    }

    @Override
    public JsonGenerator writeString(Reader reader, int length) {
        try {
            return writeString(textOf(reader, length));
        } catch (IOException error) {
            throw JacksonIOException.construct(error, this);
        }
    }

    private static String textOf(Reader reader, int length) throws IOException {
        StringBuilder text = new StringBuilder();
        for (int left = length < 0 ? Integer.MAX_VALUE : length; left > 0; left--) {
            int character = reader.read();
            if (character < 0) {
                break;
            }
            text.append((char) character);
        }
        return text.toString();
    }

    /** Raw JSON is written as if it were not raw, as its fields may have to be sealed. */
    @Override
    public JsonGenerator writeRawValue(String text) {
        if (isToken(text)) {
            return super.writeRawValue(text);
        }
        if (isSealedJson(text, textOf(text))) {
            return this;
        }
        return isJson(text) ? writeJson(text) : delegateString(fields.sealedWhole(streamWriteContext(), text));
    }

    @Override
    public JsonGenerator writeRawValue(String text, int offset, int length) {
        return writeRawValue(text.substring(offset, offset + length));
    }

    @Override
    public JsonGenerator writeRawValue(char[] text, int offset, int length) {
        return writeRawValue(new String(text, offset, length));
    }

    @Override
    public JsonGenerator writeRawValue(SerializableString text) {
        return writeRawValue(text.getValue());
    }

    @Override
    public JsonGenerator writeRawUTF8String(byte[] text, int offset, int length) {
        return writeRawValue('"' + new String(text, offset, length, UTF_8) + '"');
    }

    /** Pieces of a value that is to be sealed are sealed each for itself; elsewhere they cannot be looked into. */
    @Override
    public JsonGenerator writeRaw(String text) {
        return !text.isBlank() && isSealed(text) ? this : super.writeRaw(text);
    }

    @Override
    public JsonGenerator writeRaw(String text, int offset, int length) {
        return writeRaw(text.substring(offset, offset + length));
    }

    @Override
    public JsonGenerator writeRaw(char[] text, int offset, int length) {
        return writeRaw(new String(text, offset, length));
    }

    @Override
    public JsonGenerator writeRaw(char character) {
        return writeRaw(String.valueOf(character));
    }

    @Override
    public JsonGenerator writeRaw(SerializableString text) {
        return writeRaw(text.getValue());
    }

    /** Writes the raw values of {@link SealedModule}. */
    private static boolean isToken(String text) {
        return text.length() > 2 && text.startsWith("\"") && text.endsWith("\"")
                && Tokens.isToken(text.substring(1, text.length() - 1));
    }

    /** The text that a JSON string stands for; other texts as they are. */
    private static String textOf(String json) {
        if (!json.startsWith("\"")) {
            return json;
        }
        try (JsonParser parser = JSON.createParser(ObjectReadContext.empty(), json)) {
            parser.nextToken();
            String text = parser.getString();
            return parser.nextToken() == null ? text : json;
        } catch (JacksonException error) {
            return json;
        }
    }

    /** True if it is one value that the parser can read to its end. */
    private static boolean isJson(String text) {
        try (JsonParser parser = JSON.createParser(ObjectReadContext.empty(), text)) {
            if (parser.nextToken() == null) {
                return false;
            }
            parser.skipChildren();
            return parser.nextToken() == null;
        } catch (JacksonException error) {
            return false;
        }
    }

    private JsonGenerator writeJson(String text) {
        try (JsonParser parser = JSON.createParser(ObjectReadContext.empty(), text)) {
            for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
                if (token.isNumeric()) {
                    // Jackson's copy would lose digits.
                    writeNumber(parser.getString());
                } else {
                    copyCurrentEvent(parser);
                }
            }
        }
        return this;
    }

    @Override
    public JsonGenerator writeBinary(Base64Variant variant, byte[] bytes, int offset, int length) {
        String text = variant.encode(Arrays.copyOfRange(bytes, offset, offset + length));
        return isSealed(text) ? this : super.writeBinary(variant, bytes, offset, length);
    }

    @Override
    public JsonGenerator writeBinary(byte[] bytes) {
        return writeBinary(bytes, 0, bytes.length);
    }

    @Override
    public JsonGenerator writeBinary(byte[] bytes, int offset, int length) {
        return writeBinary(Base64Variants.getDefaultVariant(), bytes, offset, length);
    }

    @Override
    public int writeBinary(Base64Variant variant, InputStream stream, int length) {
        try {
            byte[] bytes = length < 0 ? stream.readAllBytes() : stream.readNBytes(length);
            writeBinary(variant, bytes, 0, bytes.length);
            return bytes.length;
        } catch (IOException error) {
            throw JacksonIOException.construct(error, this);
        }
    }

    @Override
    public int writeBinary(InputStream stream, int length) {
        return writeBinary(Base64Variants.getDefaultVariant(), stream, length);
    }

    @Override
    public JsonGenerator writeEmbeddedObject(Object value) {
        if (value instanceof byte[] bytes) {
            return writeBinary(bytes);
        }
        return value != null && isSealed(value) ? this : super.writeEmbeddedObject(value);
    }

    /** Writes its token, if the field is to be sealed. */
    private boolean isSealed(Object value) {
        return isWritten((String) fields.mask(streamWriteContext(), value));
    }

    /** Writes the token of a value that is JSON already, if the field is to be sealed. */
    private boolean isSealedJson(String json, String text) {
        return isWritten(fields.maskJson(streamWriteContext(), () -> json, text));
    }

    private boolean isWritten(String token) {
        if (token != null) {
            delegateString(token);
        }
        return token != null;
    }

    private JsonGenerator delegateString(String token) {
        delegate.writeString(token);
        return this;
    }
}
