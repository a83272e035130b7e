package sealmark.logback;

import java.io.IOException;
import java.io.InputStream;
import java.io.Reader;
import java.util.Arrays;
import java.util.List;
import net.logstash.logback.mask.MaskingJsonGenerator;
import tools.jackson.core.Base64Variant;
import tools.jackson.core.Base64Variants;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.SerializableString;
import tools.jackson.core.exc.JacksonIOException;

/** Shows the masker what the encoder's own generator does not: booleans, bytes, raw JSON, and text from a reader. */
final class SealingGenerator extends MaskingJsonGenerator {
    private final SealedFields fields;

    SealingGenerator(JsonGenerator delegate, SealedFields fields) {
        super(delegate, List.of(), List.of(fields));
        this.fields = fields;
    }

    @Override
    public JsonGenerator writeBoolean(boolean state) {
        return isSealed(state) ? this : super.writeBoolean(state);
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

    @Override
    public JsonGenerator writeRawValue(String text) {
        return isToken(text) || !isSealed(text) ? super.writeRawValue(text) : this;
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

    /** What {@link SealedModule} writes; from elsewhere, raw values are code and no input. */
    private static boolean isToken(String text) {
        return text.startsWith("\"~s1") && text.indexOf('"', 1) == text.length() - 1;
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

    /** Writes its token, if the field is to be sealed. */
    private boolean isSealed(Object value) {
        Object token = fields.mask(streamWriteContext(), value);
        if (token != null) {
            delegate.writeString((String) token);
        }
        return token != null;
    }
}
