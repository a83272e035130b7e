package sealmark.logback;

import java.util.Iterator;
import java.util.stream.BaseStream;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.std.StdSerializer;

/** Makes Jackson refuse what it can write only once, so that it is left to its line. */
final class ReadOnce extends SimpleModule {
    private static final long serialVersionUID = 1;

    ReadOnce() {
        super("sealmark: read once");
        addSerializer(new Refusal(Iterator.class));
        addSerializer(new Refusal(BaseStream.class));
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
