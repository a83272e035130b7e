package sealmark.logback;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.core.status.Status;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import sealmark.log.LogSealer;
import sealmark.log.Sealed;
import sealmark.log.Sealers;
import sealmark.testing.SeenMarkers;
import sealmark.testing.SettingNames;

/** Nothing is in clear where it cannot be sealed, and who logs does not notice. */
class FailingTest {
    private static final String LOGS = LogFolder.SEALER + """
            <appender name="SEALED" class="sealmark.logback.SealedFileAppender">
              <file>FOLDER/sealed.log</file>
              <encoder>
                <pattern>%msg %sealed(%logger){message} %sealed{email} %sealedKvp{NONE} %sealedEx{1}</pattern>
              </encoder>
            </appender>
            <root level="DEBUG"><appender-ref ref="SEALED"/></root>
            """;
    private static final String RECIPIENTS = "<recipientsFile>FOLDER/recipients.txt</recipientsFile>";
    private static final String MARKERS = "~s1x~arg~ ~s1x~message~ ~s1x~email~ card=~s1x~card~"
            + " java.lang.IllegalStateException: ~s1x~exception~\n\tat sealmark.logback.FailingTest.log(";

    @RegisterExtension
    final LogFolder logs = new LogFolder();

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "                                                                                | ",
        "<recipient>age1nobody</recipient>                                               | age1nobody",
        "<recipientsFile>FOLDER/no.txt</recipientsFile>                                  | no.txt",
        "<recipientsFile>FOLDER/key.txt</recipientsFile>                                 | ",
        "<preSharedKeyFile>FOLDER/recipients.txt</preSharedKeyFile>                      | ",
        "RECIPIENTS<padding>many</padding>                                               | padding \"many\" is not a number",
        "RECIPIENTS<padding>-1</padding>                                                 | -1",
        "RECIPIENTS<rotateAfter>soon</rotateAfter>                                       | rotateAfter \"soon\" is not a time",
        "RECIPIENTS<rotateAfterValues>0</rotateAfterValues>                              | the limit of values cannot be 0",
        "RECIPIENTS<headerWithin>soon</headerWithin>                                     | headerWithin \"soon\" is not a time",
        "RECIPIENTS<engine>fast</engine>                                                 | engine \"fast\" is not an engine",
    })
    void whatIsWrongInAConfigurationIsAnErrorAndSealsToMarkers(String elements, String said) {
        LoggerContext context = configure(elements == null ? "" : elements.replace("RECIPIENTS", RECIPIENTS));
        log(context);
        context.stop();
        String error = LogFolder.statuses(context, Status.ERROR).get(0);
        assertTrue(error.startsWith("cannot create sealer \"default\", so values are replaced with ~s1x~ markers: "), error);
        assertTrue(said == null || error.contains(said), error);
        assertTrue(logs.text("sealed.log").startsWith(MARKERS), logs.text("sealed.log"));
    }

    @Test
    void everySettingOfASealerCanBeGiven() {
        List<String> methods = Arrays.stream(SealerConfig.class.getMethods()).map(Method::getName).toList();
        for (String name : SettingNames.all()) {
            String capital = SettingNames.capital(name);
            assertTrue(methods.contains("set" + capital) || methods.contains("add" + capital), name);
        }
    }

    @Test
    void aBadConfigurationTakesAwayWhatAGoodOneInstalled() {
        LoggerContext good = configure(RECIPIENTS);
        LoggerContext bad = configure("");
        assertEquals("~s1x~value~", Sealed.of("value", "secret").toString());
        good.stop();
        bad.stop();
    }

    /** JMX would keep an application that is undeployed. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void markersAreSeenOverJmxAsLongAsSomebodyWritesThem(boolean isSealerForgotten) throws Exception {
        String elements = isSealerForgotten ? LOGS.replaceFirst("(?s)<contextListener.*</contextListener>", "") : LOGS;
        LoggerContext one = logs.configure(elements.replace(RECIPIENTS, ""));
        LoggerContext other = logs.configure(elements.replace(RECIPIENTS, ""));
        long before = Sealers.find("nobody").failed();
        log(one);
        SeenMarkers.assertThereAre(before + 5);
        one.stop();
        log(other);
        SeenMarkers.assertThereAre(before + 10);
        other.stop();
        assertFalse(SeenMarkers.areThere());
    }

    @Test
    void theNextConfigurationKeepsItsSealerWhenTheOneBeforeStops() {
        LoggerContext before = configure(RECIPIENTS);
        LoggerContext after = configure(RECIPIENTS);
        before.stop();
        assertNotEquals("~s1x~value~", Sealed.of("value", "secret").toString());
        after.stop();
    }

    @Test
    void allElementsReachTheSealer() throws IOException {
        String recipient = Files.readString(logs.folder.resolve("recipients.txt"));
        LoggerContext context = configure(RECIPIENTS + "<recipient>" + recipient + "</recipient><padding>16</padding><rotateAfter>30 minutes</rotateAfter>"
                + "<rotateAfterValues>1000</rotateAfterValues><sideFile>FOLDER/side.txt</sideFile>"
                + "<engine>pure-java</engine>");
        log(context);
        assertTrue(Sealers.find(Sealers.DEFAULT).engine().startsWith("pure-java"));
        context.stop();
        assertEquals(List.of(), LogFolder.statuses(context, Status.WARN));
        assertTrue(logs.text("sealed.log").contains("~s1p~message~"));
        assertTrue(logs.text("side.txt").startsWith("~s1h~"));
    }

    @Test
    void aPreSharedKeyReadsToo() {
        logs.run(0, "keygen", "--mode", "psk", "-o", "psk.txt");
        LoggerContext context = configure(
                "<preSharedKeyFile>FOLDER/psk.txt</preSharedKeyFile><rotateAfter>PT1H</rotateAfter>");
        log(context);
        context.stop();
        logs.run(0, "log", "verify", "--psk", "psk.txt", "--closed", "sealed.log");
    }

    @Test
    void aSealerThatFailsGivesMarkersAndCountsThem() {
        LoggerContext context = configure(RECIPIENTS + "<sideFile>FOLDER/none/side.txt</sideFile>");
        log(context);
        LogSealer sealer = Sealers.find(Sealers.DEFAULT);
        context.stop();
        assertTrue(logs.text("sealed.log").startsWith(MARKERS), logs.text("sealed.log"));
        assertEquals(5, sealer.failed());
        assertEquals(0, sealer.sealed());
    }

    @Test
    void aValueWithoutATextIsAMarker() {
        LoggerContext context = configure(RECIPIENTS);
        Object broken = new Object() {
            @Override
            public String toString() {
                throw new IllegalStateException("secret");
            }
        };
        context.getLogger("a").atInfo().addKeyValue("email", broken).addArgument(Sealed.of("arg", broken)).log("{}");
        context.stop();
        assertTrue(logs.text("sealed.log").contains("~s1x~arg~ ~s1a~message~"), logs.text("sealed.log"));
        assertTrue(logs.text("sealed.log").contains(" ~s1x~email~ email=~s1x~email~"), logs.text("sealed.log"));
        logs.assertHidden(List.of("secret"), "sealed.log");
    }

    private static void log(LoggerContext context) {
        context.getMDCAdapter().put("email", "secret");
        context.getLogger("a").atInfo().addKeyValue("card", "secret").addArgument(Sealed.of("arg", "secret"))
                .setCause(new IllegalStateException("secret")).log("{}");
    }

    private LoggerContext configure(String elements) {
        return logs.configure(LOGS.replace(RECIPIENTS, elements));
    }
}
