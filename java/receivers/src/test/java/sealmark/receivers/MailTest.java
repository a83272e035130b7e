package sealmark.receivers;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.boolex.EventEvaluatorBase;
import jakarta.mail.Multipart;
import jakarta.mail.internet.MimeMessage;
import java.io.ByteArrayInputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import sealmark.log.Sealed;
import sealmark.logback.SealedRecordAppender;
import sealmark.testing.Sink;

/** Logback's SMTPAppender sends each record as a mail. Mails may be lost, repeated and reordered like records of any receiver. */
class MailTest {
    private static final String SENDER = """
            <appender name="SENDER" class="ch.qos.logback.classic.net.SMTPAppender">
              <smtpHost>127.0.0.1</smtpHost><smtpPort>PORT</smtpPort><from>a@b.example</from><to>c@d.example</to>
              <subject>trouble</subject><asynchronousSending>false</asynchronousSending>
              <evaluator class="sealmark.receivers.MailTest$EachRecord"/>
              <layout class="ch.qos.logback.classic.PatternLayout"><pattern>%msg user=%X{user} %ex{short}</pattern></layout>
            </appender>
            """;
    private static final Pattern MAIL = Pattern.compile("\nDATA\n(.*?)\n\\.\n", Pattern.DOTALL);

    @TempDir
    Path folder;

    /** Header records wait for the next mail. */
    public static final class EachRecord extends EventEvaluatorBase<ILoggingEvent> {
        @Override
        public boolean evaluate(ILoggingEvent event) {
            return !event.getLoggerName().equals(SealedRecordAppender.HEADER_LOGGER);
        }
    }

    @Test
    void noSessionIsLostInMails() throws Exception {
        Received.makeKeys(folder);
        String received;
        try (Sink sink = Sink.smtp()) {
            String longest = Received.SECRET + Shop.VALUES + "." + "l".repeat(3000);
            Shop.run(folder, SENDER.replace("PORT", Integer.toString(sink.port())),
                    logback -> logback.getLogger("shop").info("paid by {}", Sealed.of("email", longest)));
            received = new String(sink.received(), ISO_8859_1);
        }
        List<String> mails = new ArrayList<>();
        for (MatchResult mail : MAIL.matcher(received).results().toList()) {
            mails.add(text(mail.group(1)));
        }
        assertEquals(Shop.VALUES + 1, mails.size());
        // A line of a mail has at most 998 characters, so the encoding cuts the token of the long value.
        assertTrue(received.contains("Content-Transfer-Encoding: quoted-printable"), "no mail is encoded");
        Received all = new Received(folder, mails);
        all.assertAll(Shop.VALUES + 1, Shop.SESSIONS);
        all.assertNoSessionIsLost();
    }

    /** The text that a reader of mails shows. */
    private static String text(String mail) throws Exception {
        byte[] sent = mail.replace("\n..", "\n.").getBytes(ISO_8859_1);
        MimeMessage message = new MimeMessage(null, new ByteArrayInputStream(sent));
        return ((Multipart) message.getContent()).getBodyPart(0).getContent().toString();
    }
}
