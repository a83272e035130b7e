package sealmark.wss;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import javax.security.auth.callback.Callback;
import javax.security.auth.callback.CallbackHandler;
import javax.security.auth.callback.UnsupportedCallbackException;
import org.apache.wss4j.common.ext.Attachment;
import org.apache.wss4j.common.ext.AttachmentRequestCallback;

/**
 * Makes Apache WSS4J verify AES-GCM attachments before it releases them, in constant memory.
 *
 * <pre>{@code
 * SealmarkProvider.install();
 * data.setAttachmentCallbackHandler(new VerifyingAttachments(handler));
 * }</pre>
 *
 * <p>The handler of the application still delivers attachments and receives decrypted ones. An attachment that WSS4J is about
 * to decrypt with AES-GCM becomes an {@link AttachmentSource}; all others, to be signed, verified, encrypted or decrypted
 * otherwise, are the application's own.
 */
public final class VerifyingAttachments implements CallbackHandler {
    private final CallbackHandler handler;
    private final Path directory;

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

    @Override
    public void handle(Callback[] callbacks) throws IOException, UnsupportedCallbackException {
        handler.handle(callbacks);
        for (Callback callback : callbacks) {
            if (callback instanceof AttachmentRequestCallback) {
                replace((AttachmentRequestCallback) callback);
            }
        }
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

        Requested(Attachment original) {
            this.original = original;
            setId(original.getId());
            setMimeType(original.getMimeType());
            addHeaders(original.getHeaders());
        }

        /** The stream of some stacks can be asked for only once. */
        @Override
        public InputStream getSourceStream() {
            boolean isEncrypted = Threads.takesCipherThatWaits();
            InputStream stream = original.getSourceStream();
            return isEncrypted && stream != null ? AttachmentSource.spooled(stream, directory) : stream;
        }
    }
}
