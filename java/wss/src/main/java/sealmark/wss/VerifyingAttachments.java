package sealmark.wss;

import java.io.IOException;
import java.io.InputStream;
import java.io.PushbackInputStream;
import java.lang.ref.WeakReference;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.function.UnaryOperator;
import javax.security.auth.callback.Callback;
import javax.security.auth.callback.CallbackHandler;
import javax.security.auth.callback.UnsupportedCallbackException;
import org.apache.wss4j.common.ext.Attachment;
import org.apache.wss4j.common.ext.AttachmentRequestCallback;
import org.apache.wss4j.common.ext.AttachmentResultCallback;
import org.apache.wss4j.dom.handler.RequestData;

/**
 * Makes Apache WSS4J verify AES-GCM attachments before it releases them, in constant memory.
 *
 * <pre>{@code
 * data.setAttachmentCallbackHandler(handler);
 * VerifyingAttachments.install(data);
 * }</pre>
 *
 * <p>The handler of the application still delivers attachments and receives decrypted ones. An attachment that WSS4J is about
 * to decrypt with AES-GCM becomes an {@link AttachmentSource}. A message that names another cipher for it fails, because a
 * sender without the key could name such a cipher to avoid the tag. Attachments to be signed, verified or encrypted pass
 * unchanged.
 *
 * <p>It works with WSS4J's DOM engine only. The streaming engine makes its cipher in another order, and gets an error. A JVM
 * that records no stack traces ({@code -XX:-StackTraceInThrowable}) gets an error, too.
 */
public final class VerifyingAttachments implements CallbackHandler {
    private static final String DECRYPTION = "org.apache.wss4j.dom.util.EncryptionUtils";
    private static final String STREAMING_ENGINE = "org.apache.wss4j.stax.";
    /** A message must not use up the file descriptors of the process. */
    static final int MAX_OPEN = 256;

    private final CallbackHandler handler;
    private final Path directory;
    private boolean allowsOtherCiphers;
    private boolean verifiesAtOnce;
    private long limit = Spool.LONGEST;
    /** The attachments that may be open, with verifyAtOnce; by weak references, so that abandoned ones are collected. */
    private final Set<AttachmentSource> sources = Collections.newSetFromMap(new WeakHashMap<>());
    /** The thread that processes the message, with verifyAtOnce; null before. */
    private WeakReference<Thread> thread;
    private boolean hasFailed;

    /**
     * Spools ciphertext into the directory {@code java.io.tmpdir}.
     *
     * @param handler the application's, or the stack's
     * @throws IllegalStateException if the provider Sealmark is not the first
     */
    public VerifyingAttachments(CallbackHandler handler) {
        this(handler, Spool.defaultDirectory());
    }

    /**
     * Spools ciphertext into a directory.
     *
     * @param handler the application's, or the stack's
     * @param directory for temporary files, which hold ciphertext only
     * @throws IllegalStateException if the provider Sealmark is not the first
     */
    public VerifyingAttachments(CallbackHandler handler, Path directory) {
        this.handler = Objects.requireNonNull(handler);
        this.directory = Objects.requireNonNull(directory);
        SealmarkProvider.demandFirst();
    }

    /**
     * Installs the provider, unless it is installed, and puts a handler around that of a message, unless it has none.
     *
     * @param data of the message, before WSS4J processes it
     * @throws IllegalStateException as {@link SealmarkProvider#install}
     */
    public static void install(RequestData data) {
        install(data, handler -> handler);
    }

    /**
     * Does what {@link #install(RequestData)} does, with options.
     *
     * @param data of the message, before WSS4J processes it
     * @param options such as {@code VerifyingAttachments::verifyAtOnce}
     * @throws IllegalStateException as {@link SealmarkProvider#install}
     */
    public static void install(RequestData data, UnaryOperator<VerifyingAttachments> options) {
        SealmarkProvider.install();
        CallbackHandler handler = data.getAttachmentCallbackHandler();
        if (handler != null && !(handler instanceof VerifyingAttachments)) {
            data.setAttachmentCallbackHandler(options.apply(new VerifyingAttachments(handler)));
        }
    }

    /**
     * Lets WSS4J decrypt with AES-CBC and other ciphers, too, whose attachments cannot be verified before they are released.
     * Then anybody who can alter a message decides if its attachments are verified, unless a signature covers its
     * {@code EncryptedData}.
     *
     * @return this handler
     */
    public VerifyingAttachments allowOtherCiphers() {
        allowsOtherCiphers = true;
        return this;
    }

    /**
     * Verifies each attachment while WSS4J processes the message, which fails if one is refused. Otherwise an attachment is
     * verified when its first byte is read; some stacks go on with an empty file if that fails.
     *
     * <p>Each attachment has an open file from then on, until it is read to its end or closed. A message fails if more than 256
     * of its attachments are open. If it fails here, all of its attachments are closed, so that each message needs a handler of
     * its own: a handler refuses a message of another thread, and any after one that failed.
     *
     * @return this handler
     */
    public VerifyingAttachments verifyAtOnce() {
        verifiesAtOnce = true;
        return this;
    }

    /**
     * Bounds the temporary file of each attachment, so that no sender fills the disk. A longer attachment is refused when it is
     * read first, and its file is gone.
     *
     * @param bytes the most that an attachment may have, in ciphertext; if this is not called, the limit of AES-GCM, 64 GiB
     * @return this handler
     * @throws IllegalArgumentException if it is less than 1 or more than 64 GiB
     */
    public VerifyingAttachments spoolAtMost(long bytes) {
        if (bytes < 1 || bytes > Spool.LONGEST) {
            throw new IllegalArgumentException("spoolAtMost takes 1 to " + Spool.LONGEST + " bytes, not " + bytes);
        }
        limit = bytes;
        return this;
    }

    @Override
    public void handle(Callback[] callbacks) throws IOException, UnsupportedCallbackException {
        demandStackTraces();
        String caller = caller();
        if (caller.startsWith(STREAMING_ENGINE)) {
            throw new IOException("VerifyingAttachments cannot verify for the streaming engine of WSS4J: use its DOM engine,"
                    + " WSSecurityEngine");
        }
        if (verifiesAtOnce && caller.equals(DECRYPTION)) {
            demandOneMessage();
        }
        try {
            for (Callback callback : callbacks) {
                if (callback instanceof AttachmentResultCallback && caller.equals(DECRYPTION)) {
                    receive(((AttachmentResultCallback) callback).getAttachment());
                }
            }
            handler.handle(callbacks);
            for (Callback callback : callbacks) {
                if (callback instanceof AttachmentRequestCallback) {
                    replace((AttachmentRequestCallback) callback);
                }
            }
        } catch (IOException | UnsupportedCallbackException | RuntimeException | Error error) {
            closeAll();
            throw error;
        }
    }

    private void receive(Attachment decrypted) throws IOException {
        if (!Threads.wasAttachmentSpooled()) {
            if (!allowsOtherCiphers) {
                throw refusal();
            }
        } else if (verifiesAtOnce) {
            demandFew();
            decrypted.setSourceStream(verified(decrypted.getSourceStream()));
        }
    }

    /** Closes nothing: the open attachments are those of another message. */
    private void demandOneMessage() throws IOException {
        synchronized (sources) {
            if (thread == null) {
                thread = new WeakReference<>(Thread.currentThread());
            }
            if (hasFailed || thread.get() != Thread.currentThread()) {
                throw new IOException("VerifyingAttachments serves one message with verifyAtOnce(), and this is another one:"
                        + " make a new handler for each message");
            }
        }
    }

    private void demandFew() throws IOException {
        synchronized (sources) {
            sources.removeIf(source -> !source.isOpen());
            if (sources.size() > MAX_OPEN) {
                throw new IOException("the message has more than " + MAX_OPEN + " attachments, which verifyAtOnce() keeps open"
                        + " until they are read: have it sent with fewer, or leave out verifyAtOnce() if your stack reports"
                        + " errors of the decrypted streams");
            }
        }
    }

    /** The message has failed, so that nobody reads its other attachments. */
    private void closeAll() {
        List<AttachmentSource> all;
        synchronized (sources) {
            all = new ArrayList<>(sources);
            sources.clear();
            hasFailed = true;
        }
        for (AttachmentSource source : all) {
            try {
                source.close();
            } catch (IOException ignored) {
                // The failure of the message is the one that counts.
            }
        }
    }

    /** The first byte comes when all of them are verified. */
    private static InputStream verified(InputStream decrypted) throws IOException {
        PushbackInputStream stream = new PushbackInputStream(decrypted);
        int first = stream.read();
        if (first >= 0) {
            stream.unread(first);
        }
        return stream;
    }

    /** The class of WSS4J that has called us, because WSS4J does not tell its handlers what it will do with an attachment. */
    private static String caller() {
        for (StackTraceElement frame : new Throwable().getStackTrace()) {
            if (frame.getClassName().startsWith("org.apache.wss4j.")) {
                return frame.getClassName();
            }
        }
        return "";
    }

    /** Without them, an attachment that is about to be decrypted looks like any other one. */
    private static void demandStackTraces() throws IOException {
        if (new Throwable().getStackTrace().length <= 2) {
            throw new IOException("this JVM records no stack traces, so VerifyingAttachments cannot tell what WSS4J decrypts:"
                    + " start it without -XX:-StackTraceInThrowable and -XX:MaxJavaStackTraceDepth");
        }
    }

    private static IOException refusal() {
        String cipher = Threads.otherCipher();
        return new IOException(cipher == null
                ? "WSS4J decrypts another attachment than the one that VerifyingAttachments returned: pass on the returned one"
                : "the attachment is to be decrypted with " + cipher + ", which cannot verify it: have it encrypted with"
                        + " AES-GCM, or call allowOtherCiphers()");
    }

    private void replace(AttachmentRequestCallback request) {
        List<Attachment> attachments = request.getAttachments();
        if (attachments == null) {
            return;
        }
        // Another provider may have been put in front meanwhile.
        SealmarkProvider.demandFirst();
        List<Attachment> replaced = new ArrayList<>();
        for (Attachment attachment : attachments) {
            replaced.add(new Requested(attachment));
        }
        request.setAttachments(replaced);
        Threads.attachmentRequested();
    }

    /** WSS4J makes its cipher before it asks for the stream of an encrypted attachment, and for no other attachment. */
    private final class Requested extends Attachment {
        private final Attachment original;
        /** The stream of some stacks can be asked for only once. */
        private AttachmentSource source;

        Requested(Attachment original) {
            this.original = original;
            setId(original.getId());
            setMimeType(original.getMimeType());
            addHeaders(original.getHeaders());
        }

        @Override
        public InputStream getSourceStream() {
            if (source != null) {
                return source;
            }
            boolean isEncrypted = Threads.gcmWaits();
            if (!isEncrypted && !allowsOtherCiphers && Threads.otherCipher() != null && caller().equals(DECRYPTION)) {
                return new Refused(refusal());
            }
            InputStream stream = original.getSourceStream();
            if (!isEncrypted || stream == null) {
                return stream;
            }
            source = AttachmentSource.spooled(stream, directory, limit, VerifyingAttachments.this::closeAll);
            if (verifiesAtOnce) {
                synchronized (sources) {
                    sources.add(source);
                }
            }
            Threads.attachmentSpooled();
            return source;
        }

        /** A handler around this one may replace a stream before WSS4J asks for it. */
        @Override
        public void setSourceStream(InputStream stream) {
            original.setSourceStream(stream);
            source = null;
        }
    }

    /** In place of an attachment that must not be decrypted; its getter cannot throw what WSS4J expects. */
    private static final class Refused extends InputStream {
        private final IOException refusal;

        Refused(IOException refusal) {
            this.refusal = refusal;
        }

        @Override
        public int read() throws IOException {
            throw new IOException(refusal.getMessage(), refusal);
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            return read();
        }
    }
}
