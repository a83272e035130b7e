package sealmark.lab.engine;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.Provider;
import java.security.Security;
import java.util.HashMap;
import javax.crypto.Cipher;
import org.apache.wss4j.common.crypto.WSProviderConfig;
import org.apache.wss4j.common.ext.Attachment;
import org.apache.wss4j.common.util.AttachmentUtils;
import org.apache.wss4j.common.util.KeyUtils;
import org.apache.xml.security.algorithms.JCEMapper;
import org.apache.xml.security.encryption.XMLCipherUtil;
import org.apache.xml.security.exceptions.XMLSecurityException;
import org.apache.xml.security.stax.ext.XMLSecurityConstants;
import org.apache.xml.security.utils.EncryptionConstants;

/**
 * Shape {@code wss4j}: the streams that Apache WSS4J lays over attachments, file to file. Key and cipher are made by the
 * calls that its own sender and receiver make; nobody names a provider there, so the first in the JVM's list that has
 * the cipher does the work, and a user who wants another one puts it first.
 */
final class PayloadWss4j extends Payload {
    /** A stream that a receiver puts between the sealed file and WSS4J. */
    interface Source {
        InputStream of(InputStream sealed, Path output);
    }

    private final PayloadCipher sealing;
    private final PayloadCipher opening;
    private final Source source;
    private final String uri;
    private final Key key;

    static Payload with(PayloadCipher ciphers, Provider provider) {
        putFirst(provider);
        return new PayloadWss4j(ciphers.toString(), ciphers, ciphers, (sealed, output) -> sealed);
    }

    /** With providers that are listed as their users list them. */
    PayloadWss4j(String code, PayloadCipher sealing, PayloadCipher opening, Source source) {
        super(code + " through AttachmentUtils of WSS4J " + version());
        WSProviderConfig.init();
        this.sealing = sealing;
        this.opening = opening;
        this.source = source;
        uri = uri(opening.algorithm);
        key = KeyUtils.prepareSecretKey(uri, opening.keyBytes);
    }

    private static String version() {
        return AttachmentUtils.class.getPackage().getImplementationVersion();
    }

    /** One that the JVM has listed from its start stays where it is. */
    private static void putFirst(Provider provider) {
        if (Security.getProvider(provider.getName()) == null) {
            Security.insertProviderAt(provider, 1);
        }
    }

    private static String uri(Algorithm algorithm) {
        return algorithm == Algorithm.AES_128_GCM
                ? EncryptionConstants.ALGO_ID_BLOCKCIPHER_AES128_GCM
                : EncryptionConstants.ALGO_ID_BLOCKCIPHER_AES256_GCM;
    }

    @Override
    void seal(Path input, Path output) throws Exception {
        try (InputStream in = new BufferedInputStream(from(input));
                OutputStream out = new BufferedOutputStream(to(output))) {
            Attachment attachment = new Attachment();
            attachment.setSourceStream(in);
            Cipher cipher = initialized();
            sealing.verify(cipher);
            copy(AttachmentUtils.setupAttachmentEncryptionStream(cipher, false, attachment, new HashMap<>()), out);
        }
    }

    private Cipher initialized() throws GeneralSecurityException, XMLSecurityException {
        Cipher cipher = instance();
        byte[] vector = XMLSecurityConstants.generateBytes(JCEMapper.getIVLengthFromURI(uri) / Byte.SIZE);
        cipher.init(Cipher.ENCRYPT_MODE, key, XMLCipherUtil.constructBlockCipherParameters(uri, vector));
        return cipher;
    }

    private Cipher instance() throws GeneralSecurityException {
        return Cipher.getInstance(JCEMapper.translateURItoJCEID(uri));
    }

    @Override
    void open(Path input, Path output) throws Exception {
        Cipher cipher = instance();
        try (InputStream sealed = new BufferedInputStream(from(input));
                OutputStream out = new BufferedOutputStream(to(output));
                InputStream in = source.of(sealed, output)) {
            copy(AttachmentUtils.setupAttachmentDecryptionStream(uri, cipher, key, in), out);
        } catch (IndexOutOfBoundsException error) {
            throw Files.size(input) < VECTOR ? withoutVector(Files.size(input)) : error;
        }
        opening.verify(cipher);
    }
}
