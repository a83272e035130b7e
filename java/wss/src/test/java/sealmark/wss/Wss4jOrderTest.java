package sealmark.wss;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.security.auth.callback.Callback;
import javax.security.auth.callback.CallbackHandler;
import javax.security.auth.callback.UnsupportedCallbackException;
import org.apache.wss4j.common.crypto.WSProviderConfig;
import org.apache.wss4j.common.ext.Attachment;
import org.apache.wss4j.common.ext.AttachmentRequestCallback;
import org.apache.wss4j.common.util.AttachmentUtils;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Pins the order in which WSS4J reads an attachment, because source and cipher rely on it. */
final class Wss4jOrderTest {
    private static final SecretKey KEY = Payloads.key(16);
    private static final byte[] PLAINTEXT = Payloads.random(5, 2 * Gcm.PIECE + 1234);
    private final List<String> calls = new ArrayList<>();

    @BeforeAll
    static void install() {
        WSProviderConfig.init();
        SealmarkProvider.install();
    }

    @AfterAll
    static void uninstall() {
        SealmarkProvider.uninstall();
    }

    /** The vector first and alone, then the cipher on the same thread, then all else; nothing before the first read. */
    @Test
    void attachmentUtilsReadsTheVectorThenInitializesThenReadsOn() throws Exception {
        AttachmentSource source = AttachmentSource.spooled(new ByteArrayInputStream(Payloads.sealed(KEY, PLAINTEXT)));
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        InputStream in = AttachmentUtils.setupAttachmentDecryptionStream(Messages.AES_128_GCM, cipher, KEY, new Log(source));
        assertEquals(Collections.emptyList(), calls);
        assertEquals(PLAINTEXT[0] & 0xff, in.read());
        assertEquals("read 12", calls.get(0));
        assertTrue(calls.get(1).matches("read (512|8192) initialized"), calls.get(1));
        assertEquals(2, calls.size());
        assertTrue(cipher.getProvider() instanceof SealmarkProvider);
        Payloads.all(in);
        in.close();
        assertEquals("close", calls.get(calls.size() - 1));
        assertTrue(calls.subList(1, calls.size() - 1).stream().allMatch(call -> call.equals(calls.get(1))), calls.toString());
    }

    @Test
    void eachFirstCallOfTheReaderReadsTheVectorFirst() throws Exception {
        for (String first : new String[] {"one", "array", "part", "skip", "available"}) {
            Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
            InputStream in = AttachmentUtils.setupAttachmentDecryptionStream(Messages.AES_128_GCM, cipher, KEY,
                    AttachmentSource.spooled(new ByteArrayInputStream(Payloads.sealed(KEY, PLAINTEXT))));
            byte[] buffer = new byte[PLAINTEXT.length];
            int done = first.equals("one") ? Math.min(in.read(), 0) + 1
                    : first.equals("array") ? in.read(buffer)
                    : first.equals("part") ? in.read(buffer, 0, 3)
                    : first.equals("skip") ? (int) in.skip(5) : in.available();
            assertTrue(done >= 0);
            byte[] rest = Payloads.all(in);
            assertArrayEquals(Arrays.copyOfRange(PLAINTEXT, done, PLAINTEXT.length), rest, first);
            in.close();
        }
    }

    /** By that, an attachment to decrypt is told from one to sign. */
    @Test
    void encryptionUtilsMakesItsCipherBetweenTheRequestAndTheStream() throws Exception {
        Messages messages = new Messages();
        Messages.Message message = messages.sealed(
                Messages.AES_128_GCM, "Content", true, Collections.singletonMap("invoice", PLAINTEXT));
        Messages.Application application = new Messages.Application();
        application.put("invoice", new ByteArrayInputStream(message.attachments.get("invoice")));
        messages.receive(message.envelope, new Requests(application));
        assertEquals(Arrays.asList("request", "stream with cipher", "request", "stream without"), calls);
    }

    /** The request for the attachment, and its stream. */
    private final class Requests implements CallbackHandler {
        private final CallbackHandler handler;

        Requests(CallbackHandler handler) {
            this.handler = handler;
        }

        @Override
        public void handle(Callback[] callbacks) throws IOException, UnsupportedCallbackException {
            handler.handle(callbacks);
            if (callbacks[0] instanceof AttachmentRequestCallback) {
                calls.add("request");
                AttachmentRequestCallback request = (AttachmentRequestCallback) callbacks[0];
                Attachment plain = request.getAttachments().get(0);
                Attachment logged = new Attachment() {
                    @Override
                    public InputStream getSourceStream() {
                        calls.add(Threads.gcmWaits() ? "stream with cipher" : "stream without");
                        return plain.getSourceStream();
                    }
                };
                logged.setId(plain.getId());
                request.setAttachments(Collections.singletonList(logged));
                Threads.attachmentRequested();
            }
        }
    }

    /** Calls of the stream, and if the cipher was initialized by then. */
    private final class Log extends FilterInputStream {
        private final AttachmentSource source;

        Log(AttachmentSource source) {
            super(source);
            this.source = source;
        }

        private void add(String call) {
            boolean isUnread = calls.isEmpty();
            calls.add(call + (isUnread || source.isArmed() ? "" : " initialized"));
        }

        @Override
        public int read() throws IOException {
            add("read one");
            return super.read();
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            add("read " + length);
            return super.read(into, offset, length);
        }

        @Override
        public long skip(long bytes) throws IOException {
            add("skip");
            return super.skip(bytes);
        }

        @Override
        public int available() throws IOException {
            add("available");
            return super.available();
        }

        @Override
        public void close() throws IOException {
            calls.add("close");
            super.close();
        }
    }
}
