package sealmark.logback;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.core.status.Status;
import java.lang.ref.WeakReference;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slf4j.Logger;
import sealmark.log.Sealed;
import sealmark.log.Sealers;

class ConversionWordsTest {
    private static final String LOGS = LogFolder.SEALER + """
            <appender name="SEALED" class="sealmark.logback.SealedFileAppender">
              <file>FOLDER/sealed.log</file>
              <encoder><pattern>SEALED_PATTERN</pattern></encoder>
            </appender>
            <appender name="TWIN" class="ch.qos.logback.core.FileAppender">
              <file>FOLDER/twin.log</file>
              <encoder><pattern>TWIN_PATTERN</pattern></encoder>
            </appender>
            <root level="DEBUG"><appender-ref ref="SEALED"/><appender-ref ref="TWIN"/></root>
            """;

    private static final List<String> SECRETS = List.of(
            "hanako@example.com", "secret", "花子", "two\nlines", "tab\tand \"quotes\" and \\", "~s1a~x~y~z~", "");

    @RegisterExtension
    final LogFolder logs = new LogFolder();

    @Test
    void whatStandsInParenthesesIsSealed() {
        LoggerContext context = configure("%level message=%sealed(%msg){message} end%n", "%level message=%msg end%n");
        SECRETS.forEach(secret -> context.getLogger("a").info("value {}.", secret));
        assertOpensToTwin(context);
    }

    @Test
    void anEntryOfTheContextOrAPairIsSealedByItsName() {
        LoggerContext context = configure(
                "email=%sealed{email:-none} both=%sealed(%X{email}){both} card=%sealed{card}%n",
                "email=%X{email:-none} both=%X{email} card=%kvp{NONE}%n");
        for (String secret : SECRETS) {
            context.getMDCAdapter().put("email", secret);
            context.getLogger("a").info("nothing");
        }
        context.getMDCAdapter().clear();
        context.getLogger("a").info("nothing");
        assertOpensToTwin(context);
        assertTrue(logs.text("sealed.log").contains("email=none both="));
    }

    @Test
    void aPairIsSealedWhereTheContextHasNoneOfItsName() {
        LoggerContext context = configure("%sealed{card} %kvp{NONE}%n", "%kvp{NONE} %kvp{NONE}%n");
        context.getLogger("a").atInfo().addKeyValue("card", 4111).log("nothing");
        context.stop();
        assertEquals("4111 card=4111\n", logs.opened("sealed.log"));
        assertTrue(logs.text("sealed.log").contains("~s1a~card~"));
    }

    @Test
    void valuesOfPairsAreSealedAndTheirNamesAreNot() {
        LoggerContext context = configure("%sealedKvp | %sealedKvp{NONE} | %sealedKvp{single}%nopex%n",
                "%kvp | %kvp{NONE} | %kvp{SINGLE}%n");
        logPairs(context.getLogger("a"));
        assertOpensToTwin(context);
        assertTrue(logs.text("sealed.log").contains(" email='~s1a~email~"));
    }

    @Test
    void onlyThePairsNamedAreSealed() {
        LoggerContext context = configure("%sealedKvp{email, NONE}%n", "%kvp{NONE}%n");
        logPairs(context.getLogger("a"));
        context.stop();
        String log = logs.text("sealed.log");
        assertTrue(log.contains("user=secret email=~s1a~email~"), log);
        assertFalse(log.contains("hanako"), log);
        assertEquals(logs.text("twin.log"), logs.opened("sealed.log"));
    }

    @Test
    void aStarInANameStandsForAnyCharacters() {
        LoggerContext context = configure("%sealedKvp{e*l}%nopex%n", "%kvp%n");
        logPairs(context.getLogger("a"));
        assertTrue(logs.text("sealed.log").contains("user=\"secret\" email=\"~s1a~email~"), logs.text("sealed.log"));
        context.stop();
        assertEquals(logs.text("twin.log"), logs.opened("sealed.log"));
    }

    @Test
    void aNameThatMatchesNothingIsTold() {
        LoggerContext context = configure("%sealed{emial} %sealedKvp{User, card}%n", "%msg%n");
        context.getLogger("a").atInfo().addKeyValue("user", "secret").addKeyValue("email", "clear").log("nothing");
        assertTrue(logs.text("sealed.log").contains("email=\"clear\""));
        logs.assertHidden(List.of("secret"), "sealed.log");
        assertEquals(List.of(), LogFolder.statuses(context, Status.WARN));
        context.stop();
        List<String> told = LogFolder.statuses(context, Status.WARN);
        assertTrue(told.size() == 2 && told.get(0).startsWith("%sealed: \"emial\" matched nothing in any record\nhint: ")
                && told.get(1).startsWith("%sealedKvp: \"card\" matched nothing in any record\nhint: "), told::toString);
    }

    /** {@code SiftingAppender} makes patterns for each user, perhaps, and forgets them. */
    @Test
    void aPatternThatIsForgottenIsKeptByNobody() throws Exception {
        LoggerContext context = logs.configure(LogFolder.SEALER);
        WeakReference<SealedConverter> forgotten = new WeakReference<>(started(context));
        for (int times = 0; times < 100 && forgotten.get() != null; times++) {
            System.gc();
            Thread.sleep(10);
        }
        assertNull(forgotten.get());
        context.stop();
    }

    private static SealedConverter started(LoggerContext context) {
        SealedConverter word = new SealedConverter();
        word.setContext(context);
        word.setOptionList(List.of("email"));
        word.start();
        return word;
    }

    @Test
    void aPairWithoutAKeyLosesNoLine() {
        LoggerContext context = configure("%sealedKvp{email}%nopex%n", "%kvp%n");
        context.getLogger("a").atInfo().addKeyValue(null, "x").addKeyValue("email", "secret").log("nothing");
        logs.assertHidden(List.of("secret"), "sealed.log");
        assertOpensToTwin(context);
    }

    private static void logPairs(Logger logger) {
        logger.atInfo().addKeyValue("user", "secret").addKeyValue("email", "hanako@example.com").log("nothing");
        logger.atInfo().addKeyValue("none", (Object) null).log("nothing");
        logger.info("no pairs");
    }

    @Test
    void whatIsSealedAlreadyIsNotSealedAgain() {
        LoggerContext context = configure("%msg %sealed{email} %sealedKvp{NONE}%n", "%msg%n");
        context.getLogger("a").atInfo().addKeyValue("email", Sealed.of("email", "hanako@example.com"))
                .log("login of {}", Sealed.of("email", "secret"));
        context.stop();
        assertEquals("login of secret hanako@example.com email=hanako@example.com\n", logs.opened("sealed.log"));
        logs.assertHidden(List.of("hanako", "secret"), "sealed.log", "twin.log");
    }

    /** Applications put tokens where only texts have a place. */
    @Test
    void tokensThatAreTextsAreNotSealedAgain() {
        LoggerContext context = configure(
                "%sealed{user} %sealedKvp{NONE} %sealed(%X{user} of %msg){message}%n%sealedEx{short}", "%msg%n");
        context.getMDCAdapter().put("user", Sealed.of("user", "hanako").toString());
        context.getLogger("a").atInfo().addKeyValue("card", "at " + Sealed.of("card", "secret 1"))
                .setCause(new IllegalStateException("no such user " + Sealed.of("user", "hanako"))).log("nothing");
        context.stop();
        String opened = logs.opened("sealed.log");
        assertTrue(opened.startsWith("""
                hanako card=at secret 1 hanako of nothing
                java.lang.IllegalStateException: no such user hanako
                """), opened);
        logs.assertHidden(List.of("hanako", "secret"), "sealed.log");
        // The word that is sealed as a message has the token of the context, too.
        logs.run(0, "log", "grep", "-i", "key.txt", "no such user", "sealed.log");
    }

    @Test
    void tokensInWhatIsSealedStayAsTheyAre() {
        LoggerContext context = configure("%sealed(%msg){message}%n%sealedEx", "%msg%n%ex{0}");
        context.getLogger("a").info("login of {} at {}", Sealed.of("email", "hanako@example.com"), "secret");
        context.getLogger("a").info("{}", Sealed.of("email", "secret 2"), new IllegalStateException(
                "no such card: " + Sealed.of("card", "secret 3")));
        context.stop();
        String opened = logs.opened("sealed.log");
        assertTrue(opened.startsWith("""
                login of hanako@example.com at secret
                secret 2
                java.lang.IllegalStateException: no such card: secret 3
                """), opened);
        logs.assertHidden(List.of("hanako", "secret"), "sealed.log");
        String log = logs.text("sealed.log");
        assertTrue(log.contains("~~s1a~email~"), log);
    }

    @Test
    void anotherSealerSealsWhereItIsNamed() {
        LoggerContext context = configure("%sealed(%msg){message, audit} %sealedKvp{sealer=audit}"
                + " %sealedEx{full, sealer=audit, label=error}%n", "%msg%n");
        context.getLogger("a").atInfo().addKeyValue("email", "secret").setCause(new IllegalStateException("secret"))
                .log("secret");
        context.stop();
        String log = logs.text("sealed.log");
        assertTrue(log.startsWith("~s1x~message~ email=\"~s1x~email~\""
                + " java.lang.IllegalStateException: ~s1x~error~\n"), log);
    }

    @Test
    void whatCutsTokensOrHasNoLabelIsAnError() {
        LoggerContext context = configure("%.10sealed(%msg){message} %sealed(%msg)%n", "%msg%n");
        context.getLogger("a").info("secret");
        context.stop();
        List<String> errors = LogFolder.statuses(context, Status.ERROR);
        assertTrue(errors.get(0).startsWith("a width truncates tokens"), errors.toString());
        assertTrue(errors.get(1).startsWith("%sealed has no label"), errors.toString());
        logs.assertHidden(List.of("secret"), "sealed.log");
    }

    @Test
    void theSealerGoesWithTheConfiguration() {
        LoggerContext context = configure("%sealed(%msg){message}%n", "%msg%n");
        context.getLogger("a").info("secret");
        assertEquals(1, Sealers.find(Sealers.DEFAULT).sealed());
        context.stop();
        assertEquals("~s1x~label~", Sealed.of("label", "secret").toString());
    }

    private LoggerContext configure(String sealed, String twin) {
        return logs.configure(LOGS.replace("SEALED_PATTERN", sealed).replace("TWIN_PATTERN", twin));
    }

    private void assertOpensToTwin(LoggerContext context) {
        LogFolder.assertNoErrors(context);
        context.stop();
        assertEquals(logs.text("twin.log"), logs.opened("sealed.log"));
        logs.assertWhole("sealed.log");
        logs.assertHidden(SECRETS.subList(0, 5), "sealed.log");
    }
}
