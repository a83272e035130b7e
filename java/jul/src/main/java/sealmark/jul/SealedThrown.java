package sealmark.jul;

import java.util.IdentityHashMap;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * Stands for an exception: its text with the message sealed, its frames, causes and suppressed exceptions. Texts are sealed
 * when a formatter asks for them, because a token that nobody writes would be missed.
 */
final class SealedThrown extends Throwable {
    private static final long serialVersionUID = 1;
    private static final String COLON = ": ";
    /** A getCause may make up a new one for ever. */
    private static final int MOST = 1000;

    private final transient Throwable original;
    private final transient UnaryOperator<String> seal;
    private String text;
    private String message;

    private SealedThrown(Throwable original, UnaryOperator<String> seal) {
        this.original = original;
        this.seal = seal;
    }

    static SealedThrown of(Throwable original, UnaryOperator<String> seal) {
        return of(original, seal, new IdentityHashMap<>());
    }

    private static SealedThrown of(Throwable original, UnaryOperator<String> seal, Map<Throwable, SealedThrown> known) {
        SealedThrown before = known.get(original);
        if (before != null) {
            return before;
        }
        SealedThrown stand = new SealedThrown(original, seal);
        stand.setStackTrace(original.getStackTrace());
        known.put(original, stand);
        for (Throwable suppressed : original.getSuppressed()) {
            if (known.size() < MOST) {
                stand.addSuppressed(of(suppressed, seal, known));
            }
        }
        Throwable cause = original.getCause();
        // One that names itself as its cause would be refused, and the record be lost with it.
        if (cause != null && cause != original && known.size() < MOST) {
            stand.initCause(of(cause, seal, known));
        }
        return stand;
    }

    /** The class stays in the clear where the text begins with it. */
    // Its own class is not the one to be named.
    @SuppressWarnings("OverrideThrowableToString")
    @Override
    public String toString() {
        if (text == null) {
            String all = original.toString();
            String name = original.getClass().getName();
            int clear = all.startsWith(name) ? name.length() : 0;
            clear += clear > 0 && all.startsWith(COLON, clear) ? COLON.length() : 0;
            text = clear == all.length() ? all : all.substring(0, clear) + seal.apply(all.substring(clear));
        }
        return text;
    }

    @Override
    public String getMessage() {
        if (message == null && original.getLocalizedMessage() != null) {
            message = seal.apply(original.getLocalizedMessage());
        }
        return message;
    }

    /** Its frames are the other's. */
    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }
}
