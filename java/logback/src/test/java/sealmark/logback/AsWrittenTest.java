package sealmark.logback;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import sealmark.log.LogSealer;
import sealmark.log.Sealers;
import sealmark.log.SessionLines;
import sealmark.log.Shape;
import sealmark.log.keys.PreSharedKey;
import sealmark.log.reader.LogOpener;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.StreamWriteFeature;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.json.JsonWriteFeature;
import tools.jackson.core.util.JsonpCharacterEscapes;
import tools.jackson.databind.json.JsonMapper;

/** Sealed values open to the bytes that Jackson writes in the clear, whatever its features. */
class AsWrittenTest {
    private static final String SEALER = "as written";
    private static final PreSharedKey KEY = PreSharedKey.generate();
    private static final List<Object> VALUES = List.of("", "secret",
            "a\u001fb\u000b\u0000\b\f\n\r\t\"\\", "/é花\ud83d\ude00\u007f", "<'&>", "\u2028", 31337, -31337L, (short) 7, 1.5, 1e300, 1.5f, Double.NaN, Float.NEGATIVE_INFINITY,
            new BigDecimal("1.50E+9"), new BigInteger("12345678901234567890"));

    @AfterEach
    void removeSealer() {
        Sealers.remove(SEALER);
    }

    static Stream<JsonMapper> mappers() {
        Stream<JsonMapper> each = Stream.of(JsonWriteFeature.values()).map(feature -> JsonMapper.builder(
                JsonFactory.builder().configure(feature, !feature.enabledByDefault()).build()).build());
        return Stream.concat(each, Stream.of(
                new JsonMapper(),
                JsonMapper.builder().enable(StreamWriteFeature.WRITE_BIGDECIMAL_AS_PLAIN).build(),
                JsonMapper.builder().enable(JsonWriteFeature.WRITE_NUMBERS_AS_STRINGS).build(),
                new JsonMapper(JsonFactory.builder().highestNonEscapedChar(0x7f).build()),
                new JsonMapper(JsonFactory.builder().characterEscapes(JsonpCharacterEscapes.instance()).build())));
    }

    @ParameterizedTest
    @MethodSource("mappers")
    void opensToTheBytesInClear(JsonMapper mapper) {
        LogSealer sealer = LogSealer.builder().preSharedKey(KEY).build();
        Sealers.install(SEALER, sealer);
        SessionLines own = new SessionLines(Shape.JSON);
        String sealed = own.format(() -> written(mapper, true, false));
        String log = own.before(sealed) + sealed;
        try (LogOpener opener = LogOpener.builder().preSharedKey(KEY).build()) {
            // JSON has no NaN: without quotes, it cannot stand in a string's place.
            String opened = new String(opener.open(log.getBytes(UTF_8)), UTF_8).replaceAll("\"(NaN|-Infinity)\"", "$1");
            assertEquals(written(mapper, false, false).replaceAll("\"(NaN|-Infinity)\"", "$1"), opened);
        }
        assertEquals(VALUES.size(), sealer.sealed());
        assertTrue(sealed.contains("\"~s1a~email~"), sealed);
    }

    @ParameterizedTest
    @MethodSource("mappers")
    void whatAGeneratorIsToldLaterCountsToo(JsonMapper mapper) {
        Sealers.install(SEALER, LogSealer.builder().preSharedKey(KEY).build());
        SessionLines own = new SessionLines(Shape.JSON);
        String sealed = own.format(() -> written(mapper, true, true));
        try (LogOpener opener = LogOpener.builder().preSharedKey(KEY).build()) {
            String opened = new String(opener.open((own.before(sealed) + sealed).getBytes(UTF_8)), UTF_8);
            assertEquals(written(mapper, false, true).replaceAll("\"(NaN|-Infinity)\"", "$1"),
                    opened.replaceAll("\"(NaN|-Infinity)\"", "$1"));
        }
    }

    private static String written(JsonMapper mapper, boolean isSealed, boolean isPlain) {
        SealedFields fields = new SealedFields();
        fields.addField("email");
        fields.setSealer(SEALER);
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        try (JsonGenerator plain = mapper.createGenerator(written)) {
            if (isPlain) {
                plain.configure(StreamWriteFeature.WRITE_BIGDECIMAL_AS_PLAIN, true);
            }
            JsonGenerator json = isSealed ? fields.decorate(plain) : plain;
            json.writeStartObject();
            json.writeName("email");
            json.writePOJO(VALUES);
            json.writeEndObject();
        }
        return written.toString(UTF_8);
    }
}
