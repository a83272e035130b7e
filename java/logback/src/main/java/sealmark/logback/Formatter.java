package sealmark.logback;

import ch.qos.logback.core.encoder.Encoder;
import ch.qos.logback.core.encoder.LayoutWrappingEncoder;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Recognises encoders by the names of their classes: nothing else tells, and some classes may not be there. */
final class Formatter {
    private Formatter() {}

    static boolean looksLikeJson(Encoder<?> encoder) {
        return isA(encoder, type -> type.getSimpleName().contains("Json")
                || type.getSimpleName().contains("Logstash") || type.getSimpleName().equals("StructuredLogEncoder"));
    }

    /** True if it is an encoder of logstash-logback-encoder, in any version. */
    static boolean isLogstash(Encoder<?> encoder) {
        return isA(encoder, type -> type.getName().startsWith("net.logstash.logback."));
    }

    /** True if it is of this project, and seals what it says by itself. */
    static boolean isOurs(Encoder<?> encoder) {
        return isA(encoder, type -> type.getName().startsWith("sealmark."));
    }

    /** The name of its class, or of its layout's. */
    static String name(Encoder<?> encoder) {
        Object formatter = formatter(encoder);
        return formatter == null ? "the encoder" : formatter.getClass().getSimpleName();
    }

    private static Object formatter(Encoder<?> encoder) {
        return encoder instanceof LayoutWrappingEncoder<?> wrapping ? wrapping.getLayout() : encoder;
    }

    /** True if the class of the encoder or of its layout, or a superclass of it, fulfils a condition. */
    private static boolean isA(Encoder<?> encoder, Predicate<Class<?>> isSo) {
        Object formatter = formatter(encoder);
        return formatter != null
                && Stream.<Class<?>>iterate(formatter.getClass(), Objects::nonNull, Class::getSuperclass).anyMatch(isSo);
    }
}
