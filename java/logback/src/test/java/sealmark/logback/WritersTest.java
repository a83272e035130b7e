package sealmark.logback;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.StringReader;
import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.core.Base64Variants;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.io.SerializedString;
import tools.jackson.core.type.WritableTypeId;
import tools.jackson.databind.json.JsonMapper;

/** No way to write a value goes by {@link SealingGenerator}. A new Jackson may bring more of them. */
class WritersTest {
    private static final JsonMapper MAPPER = new JsonMapper();
    private static final String SECRET = "secret";
    private static final String JSON = "\"secret\"";
    private static final byte[] BYTES = SECRET.getBytes(UTF_8);
    private static final char[] CHARACTERS = SECRET.toCharArray();
    private static final String NUMBER = "31337";

    /** They write nothing that is sealed. */
    private static final Set<String> STRUCTURE = Set.of("writeStartArray()", "writeStartArray(Object)",
            "writeStartArray(Object,int)", "writeEndArray()", "writeStartObject()", "writeStartObject(Object)",
            "writeStartObject(Object,int)", "writeEndObject()", "writeName(String)", "writeName(SerializableString)",
            "writePropertyId(long)", "writeNull()", "writeNullProperty(String)", "writeArrayPropertyStart(String)",
            "writeObjectPropertyStart(String)", "writeOmittedProperty(String)", "writeTypeSuffix(WritableTypeId)");

    /** They write what JSON has not. */
    private static final Map<String, Consumer<JsonGenerator>> UNKNOWN_TO_JSON = Map.of(
            "writeObjectId(Object)", json -> json.writeObjectId(SECRET),
            "writeObjectRef(Object)", json -> json.writeObjectRef(SECRET),
            "writeTypeId(Object)", json -> json.writeTypeId(SECRET));

    private static final Map<String, Consumer<JsonGenerator>> VALUES = new TreeMap<>();

    static {
        VALUES.put("writeArray(int[],int,int)", json -> json.writeArray(new int[] {1, 31337}, 1, 1));
        VALUES.put("writeArray(long[],int,int)", json -> json.writeArray(new long[] {1, 31337}, 1, 1));
        VALUES.put("writeArray(double[],int,int)", json -> json.writeArray(new double[] {1, 31337}, 1, 1));
        VALUES.put("writeArray(String[],int,int)", json -> json.writeArray(new String[] {"", SECRET}, 1, 1));
        VALUES.put("writeString(String)", json -> json.writeString(SECRET));
        VALUES.put("writeString(Reader,int)", json -> json.writeString(new StringReader(SECRET), -1));
        VALUES.put("writeString(char[],int,int)", json -> json.writeString(CHARACTERS, 0, 6));
        VALUES.put("writeString(SerializableString)", json -> json.writeString(new SerializedString(SECRET)));
        VALUES.put("writeRawUTF8String(byte[],int,int)", json -> json.writeRawUTF8String(BYTES, 0, 6));
        VALUES.put("writeUTF8String(byte[],int,int)", json -> json.writeUTF8String(BYTES, 0, 6));
        VALUES.put("writeRaw(String)", json -> json.writeRaw(":" + JSON));
        VALUES.put("writeRaw(String,int,int)", json -> json.writeRaw(":" + JSON, 0, 9));
        VALUES.put("writeRaw(char[],int,int)", json -> json.writeRaw((":" + JSON).toCharArray(), 0, 9));
        VALUES.put("writeRaw(char)", json -> json.writeRaw('s'));
        VALUES.put("writeRaw(SerializableString)", json -> json.writeRaw(new SerializedString(":" + SECRET)));
        VALUES.put("writeRawValue(String)", json -> json.writeRawValue(JSON));
        VALUES.put("writeRawValue(String,int,int)", json -> json.writeRawValue(JSON, 0, 8));
        VALUES.put("writeRawValue(char[],int,int)", json -> json.writeRawValue(JSON.toCharArray(), 0, 8));
        VALUES.put("writeRawValue(SerializableString)", json -> json.writeRawValue(new SerializedString(SECRET)));
        VALUES.put("writeBinary(Base64Variant,byte[],int,int)",
                json -> json.writeBinary(Base64Variants.MIME, BYTES, 0, 6));
        VALUES.put("writeBinary(byte[],int,int)", json -> json.writeBinary(BYTES, 0, 6));
        VALUES.put("writeBinary(byte[])", json -> json.writeBinary(BYTES));
        VALUES.put("writeBinary(InputStream,int)", json -> json.writeBinary(new ByteArrayInputStream(BYTES), 6));
        VALUES.put("writeBinary(Base64Variant,InputStream,int)",
                json -> json.writeBinary(Base64Variants.MIME, new ByteArrayInputStream(BYTES), -1));
        VALUES.put("writeNumber(short)", json -> json.writeNumber((short) 31337));
        VALUES.put("writeNumber(int)", json -> json.writeNumber(31337));
        VALUES.put("writeNumber(long)", json -> json.writeNumber(31337L));
        VALUES.put("writeNumber(BigInteger)", json -> json.writeNumber(new BigInteger(NUMBER)));
        VALUES.put("writeNumber(double)", json -> json.writeNumber(31337.0));
        VALUES.put("writeNumber(float)", json -> json.writeNumber(31337f));
        VALUES.put("writeNumber(BigDecimal)", json -> json.writeNumber(new BigDecimal(NUMBER)));
        VALUES.put("writeNumber(String)", json -> json.writeNumber(NUMBER));
        VALUES.put("writeNumber(char[],int,int)", json -> json.writeNumber(NUMBER.toCharArray(), 0, 5));
        VALUES.put("writeBoolean(boolean)", json -> json.writeBoolean(true));
        VALUES.put("writeEmbeddedObject(Object)", json -> json.writeEmbeddedObject(BYTES));
        VALUES.put("writeTypePrefix(WritableTypeId)", WritersTest::writeType);
        VALUES.put("writePOJO(Object)", json -> json.writePOJO(List.of(SECRET, true, 31337, BYTES)));
        VALUES.put("writeTree(TreeNode)", json -> json.writeTree(MAPPER.valueToTree(List.of(SECRET, true, BYTES))));
        VALUES.put("copyCurrentEvent(JsonParser)", json -> json.copyCurrentEvent(parser(JSON)));
        VALUES.put("copyCurrentEventExact(JsonParser)", json -> json.copyCurrentEventExact(parser(NUMBER)));
        VALUES.put("copyCurrentStructure(JsonParser)",
                json -> json.copyCurrentStructure(parser("[true," + JSON + "]")));
        VALUES.put("copyCurrentStructureExact(JsonParser)",
                json -> json.copyCurrentStructureExact(parser("[31337.0," + JSON + "]")));
    }

    private static final Map<String, Consumer<JsonGenerator>> PROPERTIES = new TreeMap<>();

    static {
        PROPERTIES.put("writeBinaryProperty(String,byte[])", json -> json.writeBinaryProperty("email", BYTES));
        PROPERTIES.put("writeBooleanProperty(String,boolean)", json -> json.writeBooleanProperty("email", true));
        PROPERTIES.put("writeStringProperty(String,String)", json -> json.writeStringProperty("email", SECRET));
        PROPERTIES.put("writeNumberProperty(String,short)", json -> json.writeNumberProperty("email", (short) 31337));
        PROPERTIES.put("writeNumberProperty(String,int)", json -> json.writeNumberProperty("email", 31337));
        PROPERTIES.put("writeNumberProperty(String,long)", json -> json.writeNumberProperty("email", 31337L));
        PROPERTIES.put("writeNumberProperty(String,BigInteger)",
                json -> json.writeNumberProperty("email", new BigInteger(NUMBER)));
        PROPERTIES.put("writeNumberProperty(String,float)", json -> json.writeNumberProperty("email", 31337f));
        PROPERTIES.put("writeNumberProperty(String,double)", json -> json.writeNumberProperty("email", 31337.0));
        PROPERTIES.put("writeNumberProperty(String,BigDecimal)",
                json -> json.writeNumberProperty("email", new BigDecimal(NUMBER)));
        PROPERTIES.put("writePOJOProperty(String,Object)", json -> json.writePOJOProperty("email", SECRET));
    }

    private static void writeType(JsonGenerator json) {
        WritableTypeId type = new WritableTypeId(SECRET, JsonToken.VALUE_STRING, SECRET);
        type.include = WritableTypeId.Inclusion.WRAPPER_ARRAY;
        json.writeTypePrefix(type);
        json.writeString(SECRET);
        json.writeTypeSuffix(type);
    }

    private static JsonParser parser(String json) {
        JsonParser parser = MAPPER.createParser(json);
        parser.nextToken();
        return parser;
    }

    @Test
    void allAreKnown() {
        Set<String> known = new TreeSet<>(STRUCTURE);
        List.of(UNKNOWN_TO_JSON, VALUES, PROPERTIES).forEach(writers -> known.addAll(writers.keySet()));
        assertEquals(known, Arrays.stream(JsonGenerator.class.getMethods())
                .filter(method -> method.getName().matches("(write|copy)[A-Z].*"))
                .map(WritersTest::signature)
                .collect(Collectors.toCollection(TreeSet::new)));
    }

    private static String signature(Method method) {
        return method.getName() + Arrays.stream(method.getParameterTypes()).map(Class::getSimpleName)
                .collect(Collectors.joining(",", "(", ")"));
    }

    static Set<String> values() {
        return VALUES.keySet();
    }

    @ParameterizedTest
    @MethodSource("values")
    void valuesAreSealed(String writer) {
        String written = written(json -> {
            json.writeName("email");
            VALUES.get(writer).accept(json);
        });
        assertTrue(written.matches(
                "\\{\"email\":(\"~s1x~email~\"|\\[\"~s1x~email~\"(,\"~s1x~email~\")*])}"), written);
    }

    @Test
    void anArrayOutOfRangeIsRefusedBeforeItBegins() {
        assertEquals("{}", written(json -> {
            String[] texts = {SECRET};
            for (int offset : List.of(-1, 1)) {
                assertThrows(IllegalArgumentException.class, () -> json.writeArray(texts, offset, 1));
            }
        }));
    }

    static Set<String> properties() {
        return PROPERTIES.keySet();
    }

    @ParameterizedTest
    @MethodSource("properties")
    void propertiesAreSealed(String writer) {
        assertEquals("{\"email\":\"~s1x~email~\"}", written(PROPERTIES.get(writer)));
    }

    static Set<String> unknownToJson() {
        return UNKNOWN_TO_JSON.keySet();
    }

    @ParameterizedTest
    @MethodSource("unknownToJson")
    void whatJsonHasNotIsNotWritten(String writer) {
        assertFalse(written(json -> {
            json.writeName("email");
            assertThrows(JacksonException.class, () -> UNKNOWN_TO_JSON.get(writer).accept(json));
            json.writeNull();
        }).contains(SECRET));
    }

    /** With a sealer that nobody installed, so that tokens are markers. */
    private static String written(Consumer<JsonGenerator> members) {
        SealedFields fields = new SealedFields();
        fields.addField("email");
        fields.setSealer("nobody");
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        try (JsonGenerator plain = MAPPER.createGenerator(written)) {
            JsonGenerator json = fields.decorate(plain);
            json.writeStartObject();
            members.accept(json);
            json.writeEndObject();
        }
        return written.toString(UTF_8);
    }
}
