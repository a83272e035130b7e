package sealmark.lab.engine;

import java.security.NoSuchAlgorithmException;
import java.util.Locale;
import java.util.regex.Pattern;
import javax.crypto.BadPaddingException;
import javax.crypto.IllegalBlockSizeException;
import javax.crypto.NoSuchPaddingException;
import javax.crypto.ShortBufferException;

/** Bad news, under the answer it goes by (spec/engine.md, "Asks and answers"). */
public final class Trouble extends Exception {
    private static final long serialVersionUID = 1;
    private static final int LONGEST_REASON = 500;

    /** How libraries and virtual machines say that a size is more than they were made for. */
    private static final Pattern TOO_LARGE = Pattern.compile(
            "too (big|large|long)|array size exceeds|required (array )?(length|size)|input (size )?up to \\d+ bytes"
                    + "|invalid capacity");

    /** How java.util.Base64 and our native library say that a text is none of theirs. */
    private static final Pattern NOT_BASE64 = Pattern.compile("illegal base64 character|not base64"
            + "|input byte array has (wrong 4-byte ending unit|incorrect ending byte)"
            + "|should at least have 2 bytes for base64|last unit does not have enough valid bits");

    /** The five answers. */
    public enum Kind {
        UNSUPPORTED, REFUSED, EXHAUSTED, LIMITED, FAILED;

        String answer() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public final Kind kind;

    private Trouble(Kind kind, String why) {
        super(oneLine(why));
        this.kind = kind;
    }

    public static Trouble unsupported(String why) {
        return new Trouble(Kind.UNSUPPORTED, why);
    }

    public static Trouble refused(String why) {
        return new Trouble(Kind.REFUSED, why);
    }

    public static Trouble limited(String why) {
        return new Trouble(Kind.LIMITED, why);
    }

    public static Trouble failed(String why) {
        return new Trouble(Kind.FAILED, why);
    }

    /** Sorts what a library threw; only going {@code back} can the data be at fault. */
    public static Trouble of(Throwable error, boolean back) {
        return error instanceof Trouble ? (Trouble) error : new Trouble(kind(error, back), reason(error));
    }

    /** Streams wrap what the library threw; the outermost that can be told apart counts. */
    private static Kind kind(Throwable error, boolean back) {
        Kind kind = Kind.FAILED;
        for (Throwable at = error; at != null && kind == Kind.FAILED; at = at.getCause()) {
            kind = at instanceof Trouble ? ((Trouble) at).kind : unwrapped(at, back);
        }
        return kind;
    }

    private static Kind unwrapped(Throwable error, boolean back) {
        if (saysTooLarge(error)) {
            return Kind.LIMITED;
        }
        if (error instanceof OutOfMemoryError) {
            return Kind.EXHAUSTED;
        }
        if (isMissing(error) || error instanceof NoSuchAlgorithmException || error instanceof NoSuchPaddingException) {
            return Kind.UNSUPPORTED;
        }
        return back && blamesTheData(error) ? Kind.REFUSED : Kind.FAILED;
    }

    private static boolean saysTooLarge(Throwable error) {
        return says(error, TOO_LARGE);
    }

    private static boolean says(Throwable error, Pattern words) {
        String message = error.getMessage();
        return message != null && words.matcher(message.toLowerCase(Locale.ROOT)).find();
    }

    /** Bouncy Castle's codecs have an exception of their own, named here as a text because it may be absent. */
    private static boolean blamesTheData(Throwable error) {
        return error.getClass().getName().equals("org.bouncycastle.util.encoders.DecoderException")
                || isShortBuffer(error)
                || error instanceof BadPaddingException
                || error instanceof IllegalBlockSizeException
                || isNotBase64(error);
    }

    /** No cipher blames its data so: any other of this class is a mistaken call, which must not pass for a refusal. */
    private static boolean isNotBase64(Throwable error) {
        return error instanceof IllegalArgumentException && says(error, NOT_BASE64);
    }

    /** SunJCE of JDK 17 calls input that is shorter than a tag this; our buffers are long enough for every input. */
    private static boolean isShortBuffer(Throwable error) {
        return error instanceof ShortBufferException;
    }

    /** A library, or what it needs, is not on the class path, or not made for this machine. */
    private static boolean isMissing(Throwable error) {
        return error instanceof LinkageError || error instanceof ClassNotFoundException;
    }

    private static String reason(Throwable error) {
        String message = error.getMessage() == null ? "" : ": " + error.getMessage();
        return (isMissing(error) ? "cannot be loaded here: " : "") + error.getClass().getSimpleName() + message;
    }

    private static String oneLine(String why) {
        String line = why.replaceAll("\\s+", " ").trim();
        return line.length() <= LONGEST_REASON ? line : line.substring(0, LONGEST_REASON) + " …";
    }
}
