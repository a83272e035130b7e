package sealmark.logback;

import sealmark.log.Sealed;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.StreamWriteCapability;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.std.StdSerializer;

/** Makes Jackson 3 write {@link Sealed} as the string that its token is. Jackson finds it by itself. */
// An application that uses this has the libraries that it is made for.
@SuppressWarnings("exports")
public final class SealedModule extends SimpleModule {
    private static final long serialVersionUID = 1;

    /** The module that Jackson looks for. */
    public SealedModule() {
        super("sealmark");
        addSerializer(new TokenSerializer());
    }

    private static final class TokenSerializer extends StdSerializer<Sealed> {
        private TokenSerializer() {
            super(Sealed.class);
        }

        // A token has nothing to escape. A raw value passes by maskers, which would seal it once more.
        @Override
        public void serialize(Sealed value, JsonGenerator generator, SerializationContext context) {
            if (isAsked(generator, context)) {
                generator.writeNull();
            } else if (isText(generator)) {
                generator.writeRawValue("\"" + value.toJsonToken() + "\"");
            } else {
                generator.writeString(value.toString());
            }
        }

        /** Some serializers write to a buffer first, which has no question with it. */
        private static boolean isAsked(JsonGenerator generator, SerializationContext context) {
            return context.getAttribute(FieldProbe.class) != null
                    || FieldProbe.of(generator.streamWriteContext()) != null;
        }

        private static boolean isText(JsonGenerator generator) {
            return generator.streamWriteCapabilities().isEnabled(StreamWriteCapability.CAN_WRITE_FORMATTED_NUMBERS);
        }
    }
}
