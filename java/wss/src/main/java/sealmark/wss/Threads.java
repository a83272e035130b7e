package sealmark.wss;

import java.lang.ref.WeakReference;

/**
 * Links an attachment to the cipher that a stack makes for it on the same thread. Values are of the JDK's classes only, so that
 * a thread that outlives an application keeps none of its classes.
 */
final class Threads {
    private static final ThreadLocal<WeakReference<AttachmentSource>> ARMED = new ThreadLocal<>();
    /** Absent unless an attachment was asked for; then the cipher that was made since and has got no key from JCE's offer. */
    private static final ThreadLocal<String> CIPHER = new ThreadLocal<>();
    private static final String NONE = "";
    private static final ThreadLocal<Boolean> IS_SPOOLED = new ThreadLocal<>();

    /** True between JCE's question if we support a key and our answer to the key. */
    private static final ThreadLocal<Boolean> OFFERED = new ThreadLocal<>();

    private Threads() {}

    /** The source has handed out its initialization vector, and the next cipher on this thread gets it. */
    static void arm(AttachmentSource source) {
        ARMED.set(new WeakReference<>(source));
    }

    /** The source that waits for a cipher on this thread; null if none does. */
    static AttachmentSource armed() {
        WeakReference<AttachmentSource> armed = ARMED.get();
        AttachmentSource source = armed == null ? null : armed.get();
        if (source != null && source.isArmed()) {
            return source;
        }
        disarm();
        return null;
    }

    static void disarm() {
        ARMED.remove();
        OFFERED.remove();
    }

    /** JCE has chosen no provider yet, and goes on to the next one if we do not take the key. */
    static boolean offersKey(boolean servesAll) {
        boolean isOffered = armed() != null || servesAll;
        if (isOffered) {
            OFFERED.set(true);
        }
        return isOffered;
    }

    /** True once after an offer. */
    static boolean wasOffered() {
        boolean was = OFFERED.get() != null;
        OFFERED.remove();
        return was;
    }

    /** An attachment was asked for on this thread. */
    static void attachmentRequested() {
        CIPHER.set(NONE);
        IS_SPOOLED.remove();
    }

    /** JCE asks under several names for one cipher, the full one first. */
    static void cipherMade(String transformation) {
        String before = CIPHER.get();
        if (before != null && (before.equals(NONE) || GcmSpi.isGcm(transformation))) {
            CIPHER.set(transformation);
        }
    }

    static void cipherHasKey() {
        if (CIPHER.get() != null) {
            CIPHER.set(NONE);
        }
    }

    /** True if the attachment that was asked for is about to be decrypted: its cipher has to read its IV first. */
    static boolean gcmWaits() {
        String cipher = CIPHER.get();
        return cipher != null && GcmSpi.isGcm(cipher);
    }

    /** The transformation of another cipher that was made since the attachment was asked for; null if there is none. */
    static String otherCipher() {
        String cipher = CIPHER.get();
        return cipher == null || cipher.equals(NONE) || GcmSpi.isGcm(cipher) ? null : cipher;
    }

    /** The stack has taken the attachment that it asked for as a source of ours. */
    static void attachmentSpooled() {
        IS_SPOOLED.set(true);
    }

    static boolean wasAttachmentSpooled() {
        return IS_SPOOLED.get() != null;
    }
}
