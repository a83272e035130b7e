package sealmark.log4j2;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.apache.logging.log4j.ThreadContext;
import org.apache.logging.log4j.core.config.plugins.PluginAttribute;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import sealmark.log.Label;
import sealmark.log.LogSealer;
import sealmark.log.Sealed;
import sealmark.log.Sealers;
import sealmark.log.ValueNames;
import sealmark.testing.SeenMarkers;
import sealmark.testing.SettingNames;

/** A wrong configuration writes nothing in the clear, and the status logger names the fault. */
class FailingTest {
    @TempDir
    static Path keys;

    private static Program program;

    @TempDir
    Path folder;

    @BeforeAll
    static void makeKey() throws Exception {
        program = new Program(keys);
    }

    private static String configuration(String sealer, String layout) {
        return sealer + "<Appenders><File name='app' fileName='FOLDER/app.log'>" + layout + "</File></Appenders>"
                + "<Loggers><Root level='info'><AppenderRef ref='app'/></Root></Loggers>";
    }

    private static String sealer() {
        return "<Sealer recipient='" + program.recipient + "'/>";
    }

    private static final String LAYOUT =
            "<SealedLayout><PatternLayout pattern='%sealed{%m}{message} %sealedEx{short.message}%n'/></SealedLayout>";

    private String text() {
        return Program.text(folder.resolve("app.log"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', value = {
        "<Sealer/>; Sealer name=\"default\"",
        "<Sealer recipient='age1nobody'/>; age1nobody",
        "<Sealer recipient='RECIPIENT' padding='much'/>; padding \"much\" is not a number",
        "<Sealer recipient='RECIPIENT' padding='-1'/>; -1",
        "<Sealer recipient='RECIPIENT' rotateAfter='1h'/>; rotateAfter \"1h\" is not a time",
        "<Sealer recipient='RECIPIENT' rotateAfterValues='0'/>; the limit of values cannot be 0",
        "<Sealer recipient='RECIPIENT' headerWithin='10 s'/>; headerWithin \"10 s\" is not a time",
        "<Sealer recipient='RECIPIENT' engine='steam'/>; engine \"steam\" is not an engine",
        "<Sealer recipientsFile='FOLDER/none.txt'/>; none.txt",
        "<Sealer preSharedKeyFile='FOLDER/none.txt'/>; none.txt",
    })
    void aWrongSealerSealsNothing(String sealer, String complaint) throws Exception {
        String element = sealer.replace("RECIPIENT", program.recipient);
        long failed = Sealers.find("nobody").failed();
        try (Running log = Running.of(folder, configuration(element, LAYOUT))) {
            log.logger().info("secret", new Exception("secret"));
            assertTrue(log.complaints().contains(complaint), log.complaints());
            assertTrue(log.complaints().contains("nothing is sealed"), log.complaints());
        }
        assertEquals("~s1x~message~ ~s1x~exception~\n", text());
        assertEquals(failed + 2, Sealers.find("nobody").failed());
    }

    @Test
    void everySettingOfASealerCanBeGiven() {
        List<String> taken = Arrays.stream(SealerElement.class.getMethods()).map(Method::getParameters)
                .flatMap(Arrays::stream).map(parameter -> parameter.getAnnotation(PluginAttribute.class))
                .filter(Objects::nonNull).map(PluginAttribute::value).toList();
        assertEquals(List.of(), SettingNames.all().stream().filter(name -> !taken.contains(name)).toList());
    }

    @Test
    void withoutASealerNothingIsSealed() throws Exception {
        try (Running log = Running.of(folder, configuration("", LAYOUT))) {
            log.logger().info("{}", Sealed.of("email", "secret"));
            log.logger().info("secret");
        }
        assertFalse(text().contains("secret"), text());
        assertEquals("~s1x~message~ \n~s1x~message~ \n", text());
    }

    /** JMX would keep an application that is undeployed. */
    @ParameterizedTest
    @ValueSource(strings = {"", "<Sealer/>"})
    void markersAreSeenOverJmxAsLongAsSomebodyWritesThem(String sealer) throws Exception {
        long before = Sealers.find("nobody").failed();
        try (Running other = Running.of(folder, configuration(sealer, LAYOUT))) {
            try (Running log = Running.of(folder, configuration(sealer, LAYOUT))) {
                log.logger().info("secret");
                SeenMarkers.assertThereAre(before + 1);
            }
            other.logger().info("secret");
            SeenMarkers.assertThereAre(before + 2);
        }
        assertFalse(SeenMarkers.areThere());
    }

    @Test
    void aSideFileThatCannotBeWrittenSealsNothing() throws Exception {
        String sealer = "<Sealer recipient='" + program.recipient + "' sideFile='FOLDER/none/side.txt'/>";
        try (Running log = Running.of(folder, configuration(sealer, LAYOUT))) {
            log.logger().info("secret");
            assertEquals(1, Sealers.find("default").failed());
        }
        assertEquals("~s1x~message~ \n", text());
    }

    @Test
    void aReloadThatIsWrongSealsNothingMore() throws Exception {
        try (Running log = Running.of(folder, configuration(sealer(), LAYOUT))) {
            log.logger().info("one");
            log.reconfigure(configuration("<Sealer recipient='age1nobody'/>", LAYOUT));
            log.logger().info("secret");
        }
        assertEquals("one \n~s1x~message~ \n", program.open(folder.resolve("app.log")));
        program.verify(folder.resolve("app.log"));
    }

    @Test
    void aReloadWithoutTheSealerClosesIt() throws Exception {
        try (Running log = Running.of(folder, configuration(sealer(), LAYOUT))) {
            log.logger().info("one");
            LogSealer sealer = Sealers.find("default");
            log.reconfigure(configuration("", LAYOUT));
            log.logger().info("secret");
            assertEquals("~s1x~label~", sealer.seal(Label.of("label"), "secret"));
        }
        assertEquals("one \n~s1x~message~ \n", program.open(folder.resolve("app.log")));
    }

    @Test
    void aReloadAddsNoListener() throws Exception {
        try (Running log = Running.of(folder, configuration(sealer(), LAYOUT))) {
            int listeners = log.logger().getContext().getListeners().size();
            for (int times = 0; times < 3; times++) {
                log.reconfigure(configuration(sealer(), LAYOUT));
            }
            assertEquals(listeners, log.logger().getContext().getListeners().size());
            log.logger().info("one");
        }
        assertEquals("one \n", program.open(folder.resolve("app.log")));
    }

    @Test
    void aNameThatMatchesNothingIsTold() throws Exception {
        Files.writeString(folder.resolve("app.json"), """
                {"message": {"$resolver": "message", "stringified": true},
                 "card": {"$resolver": "sealed", "of": "mdc", "key": "crad"}}
                """);
        String layout = "<SealedLayout><PatternLayout pattern='%sealed{%X{phone}}{phone} %sealed{%m}{message}%n'/>"
                + "</SealedLayout>";
        String configuration = sealer() + "<Appenders><File name='app' fileName='FOLDER/app.log'>" + layout + "</File>"
                + "<File name='json' fileName='FOLDER/json.log'>"
                + "<SealedLayout><JsonTemplateLayout eventTemplateUri='file:FOLDER/app.json'/></SealedLayout></File>"
                + "<Rewrite name='sealing'><SealingRewritePolicy keys='emial, User'/><AppenderRef ref='app'/>"
                + "<AppenderRef ref='json'/></Rewrite></Appenders>"
                + "<Loggers><Root level='info'><AppenderRef ref='sealing'/></Root></Loggers>";
        try (Running log = Running.of(folder, configuration)) {
            ThreadContext.put("user", "secret");
            log.logger().info("one");
            ThreadContext.clearAll();
            assertEquals("", log.complaints());
            for (int times = 1; times < ValueNames.RECORDS; times++) {
                log.logger().info("one");
            }
            List.of("<SealingRewritePolicy>: \"emial\" matched nothing in the first 1000 records", "\"phone\" matched",
                    "$resolver \"sealed\": \"crad\" matched").forEach(
                            told -> assertTrue(log.complaints().contains(told), log.complaints()));
            int before = log.complaints().length();
            log.reconfigure(configuration(sealer(), LAYOUT));
            assertTrue(log.complaints().indexOf("\"emial\" matched nothing in any record", before) > 0, log.complaints());
            assertFalse(log.complaints().contains("\"User\""), log.complaints());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"<SealedLayout/>", "<SealedLayout><PatternLayout pattern='%sealed{%m%n'/></SealedLayout>",
        "<SealedLayout><PatternLayout pattern='%d %sealed %m%n'/></SealedLayout>",
        "<SealedLayout><JsonTemplateLayout eventTemplateUri='nowhere:'/></SealedLayout>",
        "<SealedLayout><PatternLayout pattern='%sealed{%m}{message}%n' charset='UTF-16'/></SealedLayout>"})
    void aLayoutThatCannotBeWritesNoMessage(String layout) throws Exception {
        try (Running log = Running.of(folder, configuration(sealer(), layout))) {
            log.logger().info("secret", new Exception("secret"));
            assertTrue(log.complaints().contains("no message is written"), log.complaints());
            assertTrue(log.complaints().contains("hint: "), log.complaints());
        }
        assertFalse(text().contains("secret"), text());
        assertTrue(text().contains("INFO app ~s1x~message~\n"), text());
    }

    @Test
    void aWrongShapeIsTheLayoutsOwn() throws Exception {
        String layout = LAYOUT.replace("<SealedLayout>", "<SealedLayout shape='round'>");
        try (Running log = Running.of(folder, configuration(sealer(), layout))) {
            log.logger().info("one");
            assertTrue(log.complaints().contains("\"round\" is not a shape"), log.complaints());
        }
        assertTrue(text().startsWith("~s1h~"), text());
    }

    @Test
    void aShapeMayBeChosen() throws Exception {
        String layout = LAYOUT.replace("<SealedLayout>", "<SealedLayout shape='json'>");
        try (Running log = Running.of(folder, configuration(sealer(), layout))) {
            log.logger().info("one");
            assertEquals("", log.complaints());
        }
        assertTrue(text().startsWith("{\"sealmark\":\"~s1h~"), text());
    }

    @Test
    void aSharedKeyHasNoReadersBesideIt() throws Exception {
        Path shared = program.sharedKey();
        String file = " preSharedKeyFile='" + shared + "'/>";
        try (Running log = Running.of(folder, configuration(sealer().replace("/>", file), LAYOUT))) {
            log.logger().info("secret");
            assertTrue(log.complaints().contains("cannot be used together"), log.complaints());
            log.reconfigure(configuration("<Sealer " + file, LAYOUT));
            log.logger().info("one");
        }
        assertEquals("~s1x~message~ \none \n", program.openShared(shared, folder.resolve("app.log")));
    }

    @Test
    void allSettingsOfASealer() throws Exception {
        Path recipients = folder.resolve("recipients.txt");
        Files.writeString(recipients, "# of this test\n" + program.recipient + "\n");
        String sealer = "<Sealer recipientsFile='" + recipients + "' padding='64' rotateAfter='PT10M' "
                + "sideFile='FOLDER/side.txt' engine='pure-java'/>";
        try (Running log = Running.of(folder, configuration(sealer, LAYOUT))) {
            log.logger().info("one");
            assertTrue(Sealers.find("default").engine().startsWith("pure-java"), Sealers.find("default").engine());
            assertEquals("", log.complaints());
        }
        assertTrue(text().contains("~s1p~message~"), text());
        assertTrue(Program.text(folder.resolve("side.txt")).contains("~s1h~"));
        assertEquals("one \n", program.open(folder.resolve("app.log")));
    }
}
