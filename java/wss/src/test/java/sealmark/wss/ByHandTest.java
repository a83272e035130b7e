package sealmark.wss;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.security.Key;
import java.util.Base64;
import java.util.Collections;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.xml.transform.TransformerFactory;
import javax.xml.transform.dom.DOMSource;
import javax.xml.transform.stream.StreamResult;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;

/** Types the commands of docs/wss.md that open an attachment of a message by hand. */
final class ByHandTest {
    private static final byte[] INVOICE = Payloads.random(1, 200_000);

    @TempDir
    Path directory;

    @Test
    void thePagesCommandsOpenAnAttachmentOfWss4j() throws Exception {
        for (String algorithm : new String[] {Messages.AES_128_GCM, Messages.AES_256_GCM}) {
            SealmarkProvider.install();
            Messages messages = new Messages();
            Messages.Message message;
            try {
                message = messages.sealed(algorithm, "Content", true, Collections.singletonMap("invoice", INVOICE));
            } finally {
                SealmarkProvider.uninstall();
            }
            Files.write(directory.resolve("message.xml"), text(message.envelope).getBytes(UTF_8));
            Files.write(directory.resolve("attachment.bin"), message.attachments.get("invoice"));
            Files.write(directory.resolve("receiver.pem"), pem(messages.secretKey()).getBytes(UTF_8));
            assertEquals("", typed());
            assertArrayEquals(INVOICE, Files.readAllBytes(directory.resolve("invoice.xml")));
            Files.delete(directory.resolve("invoice.xml"));
        }
    }

    private String typed() throws Exception {
        Path page = Paths.get(System.getProperty("sealmark.root"), "docs", "wss.md");
        Matcher block = Pattern.compile("(?s)## Open an attachment by hand\\n.*?```sh\\n(.*?)```")
                .matcher(new String(Files.readAllBytes(page), UTF_8));
        assertTrue(block.find(), "the page lost its commands");
        Path log = directory.resolve("log");
        ProcessBuilder shell = new ProcessBuilder("bash", "-euc", "set -o pipefail\n" + block.group(1))
                .directory(directory.toFile()).redirectErrorStream(true).redirectOutput(log.toFile());
        Path program = Paths.get(System.getProperty("sealmark.program")).toAbsolutePath();
        shell.environment().merge("PATH", program.getParent().toString(), (path, ours) -> ours + ":" + path);
        int code = shell.start().waitFor();
        String printed = new String(Files.readAllBytes(log), UTF_8);
        assertEquals(0, code, printed);
        return printed;
    }

    private static String text(Document envelope) throws Exception {
        StringWriter text = new StringWriter();
        TransformerFactory.newInstance().newTransformer().transform(new DOMSource(envelope), new StreamResult(text));
        return text.toString();
    }

    private static String pem(Key key) {
        return "-----BEGIN PRIVATE KEY-----\n" + Base64.getMimeEncoder().encodeToString(key.getEncoded())
                + "\n-----END PRIVATE KEY-----\n";
    }
}
