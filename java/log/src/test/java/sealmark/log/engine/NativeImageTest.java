package sealmark.log.engine;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.InputStream;
import java.lang.reflect.Executable;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The classes, methods and files that GraalVM's native-image is told of are there. */
class NativeImageTest {
    private static final String METADATA = "/META-INF/native-image/sealmark/sealmark-log/reachability-metadata.json";

    @Test
    void whatNativeImageIsToldOfIsThere() throws Exception {
        JsonNode metadata;
        try (InputStream json = Engine.class.getResourceAsStream(METADATA)) {
            metadata = new ObjectMapper().readTree(json);
        }
        List<String> checked = new ArrayList<>();
        for (JsonNode entry : metadata.get("reflection")) {
            String name = entry.get("type").asText();
            Class.forName(entry.get("condition").get("typeReached").asText());
            Optional<Class<?>> type = find(name);
            assertTrue(type.isPresent() || !name.startsWith("sealmark."), name);
            for (JsonNode method : entry.path("methods")) {
                if (type.isPresent()) {
                    checked.add(executable(type.get(), method).toString());
                }
            }
        }
        assertTrue(checked.contains("public sealmark.log.engine.SealException(java.lang.String)"), checked::toString);
        String files = metadata.get("resources").get(0).get("glob").asText();
        assertTrue(files.startsWith("META-INF/native/*/") && files.endsWith("/libsealmark_jni.so"), files);
    }

    private static Executable executable(Class<?> type, JsonNode method) throws Exception {
        List<Class<?>> parameters = new ArrayList<>();
        for (JsonNode parameter : method.get("parameterTypes")) {
            parameters.add(Class.forName(parameter.asText()));
        }
        Class<?>[] types = parameters.toArray(Class<?>[]::new);
        String name = method.get("name").asText();
        return name.equals("<init>") ? type.getDeclaredConstructor(types) : type.getDeclaredMethod(name, types);
    }

    /** Empty if this version of Java does not have the class yet. */
    private static Optional<Class<?>> find(String name) {
        try {
            return Optional.of(Class.forName(name));
        } catch (ClassNotFoundException absent) {
            return Optional.empty();
        }
    }
}
