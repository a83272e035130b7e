package sealmark.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import sealmark.log.Label;
import sealmark.log.LogSealer;
import sealmark.testing.SettingNames;

class PropertiesTest {
    @TempDir
    static Path folder;

    @Test
    void eachSettingOfASealerIsAProperty() {
        List<String> names = Arrays.stream(SealmarkProperties.class.getRecordComponents())
                .map(java.lang.reflect.RecordComponent::getName).toList();
        assertTrue(names.containsAll(SettingNames.all()), names.toString());
    }

    /** An editor completes and explains them. */
    @Test
    void eachPropertyIsExplainedInTheMetadata() throws Exception {
        StringBuilder metadata = new StringBuilder();
        for (URL file : Collections.list(
                getClass().getClassLoader().getResources("META-INF/spring-configuration-metadata.json"))) {
            try (InputStream in = file.openStream()) {
                metadata.append(new String(in.readAllBytes(), StandardCharsets.UTF_8));
            }
        }
        List<String> explained = Pattern.compile("\"name\": \"(sealmark[.][^\"]*)\"[^{}]*\"description\": \"[^\"]")
                .matcher(metadata).results().map(found -> found.group(1)).sorted().toList();
        Stream<String> all = Stream.concat(
                names(SealmarkProperties.class, "sealmark.").filter(name -> !name.equals("sealmark.access-log")),
                names(SealmarkProperties.AccessLog.class, "sealmark.access-log."));
        assertEquals(all.sorted().toList(), explained);
    }

    private static Stream<String> names(Class<?> properties, String prefix) {
        return Arrays.stream(properties.getRecordComponents()).map(component -> prefix
                + component.getName().replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT));
    }

    @Test
    void allAreTaken() throws Exception {
        Running.makeKeys(folder);
        Map<String, String> all = new HashMap<>(Map.of("sealmark.recipients-file", folder.resolve("recipients.txt").toString(),
                "sealmark.seal", "", "sealmark.padding", "64", "sealmark.rotate-after", "10m",
                "sealmark.rotate-after-values", "1000", "sealmark.side-file", folder.resolve("side.txt").toString(),
                "sealmark.header-within", "5s", "sealmark.engine", "pure-java"));
        try (LogSealer sealer = of(all).sealer()) {
            assertTrue(sealer.engine().startsWith("pure-java"), sealer.engine());
            Label label = Label.of("a");
            assertEquals(sealer.seal(label, "x").length(), sealer.seal(label, "y".repeat(40)).length(), "padded");
            assertTrue(Files.exists(folder.resolve("side.txt")));
        }
        all.put("sealmark.engine", "auto");
        all.put("sealmark.recipient", all.remove("sealmark.recipients-file").isEmpty() ? "" : key());
        of(all).sealer().close();
    }

    private static String key() throws IOException {
        return Files.readString(folder.resolve("recipients.txt"), StandardCharsets.UTF_8).lines()
                .filter(line -> line.startsWith("age1")).findFirst().orElseThrow();
    }

    @ParameterizedTest
    @CsvSource({
        "sealmark.x=1, sealmark.seal is not set, sealmark.seal=email",
        "sealmark.seal=email, no public key is configured, sealmark keygen",
        "sealmark.seal=email;sealmark.recipient=me, not a recipient, ",
        "sealmark.seal=email;sealmark.recipients-file=none.txt, none.txt\" cannot be read: no such file, sealmark keygen -y",
        "sealmark.seal=email;sealmark.recipients-file=none.txt;sealmark.padding=-1, , ",
    })
    void aFaultIsNamedWithTheNextStep(String properties, String fault, String hint) {
        Map<String, String> all = new HashMap<>();
        for (String property : properties.split(";", -1)) {
            int sign = property.indexOf('=');
            all.put(property.substring(0, sign), property.substring(sign + 1));
        }
        NotSealedException error = assertThrows(NotSealedException.class, () -> of(all).sealer());
        assertTrue(fault == null || error.getMessage().contains(fault), error.getMessage());
        assertTrue(hint == null || error.hint().contains(hint), error.hint());
        assertTrue(!error.getMessage().contains("hint:") && !error.hint().isBlank(), error.getMessage());
    }

    private static SealmarkProperties of(Map<String, String> all) {
        StandardEnvironment environment = new StandardEnvironment();
        environment.getPropertySources().addFirst(new MapPropertySource("test", new HashMap<>(all)));
        return SealmarkProperties.of(environment);
    }
}
