package sealmark.logback;

import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.StackTraceElementProxy;
import ch.qos.logback.classic.spi.ThrowableProxy;
import java.util.Arrays;
import java.util.function.UnaryOperator;

/**
 * An exception whose messages are sealed when they are asked for, once: a token that nobody writes would be missed.
 *
 * <p>It is a {@link ThrowableProxy}, because some encoders ask that for its exception.
 */
final class SealedThrowable extends ThrowableProxy {
    private static final String COLON = ": ";

    private final IThrowableProxy original;
    private final UnaryOperator<String> seal;
    private String sealedMessage;
    private String sealedText;
    private SealedThrowable cause;
    private SealedThrowable[] suppressed;

    SealedThrowable(IThrowableProxy original, UnaryOperator<String> seal) {
        // Without frames, which Logback would copy.
        super(new Stand());
        this.original = original;
        this.seal = seal;
    }

    @Override
    public String getMessage() {
        if (sealedMessage == null && original.getMessage() != null) {
            sealedMessage = seal.apply(original.getMessage());
        }
        return sealedMessage;
    }

    /** The text of {@code toString}, if that is not class and message: its class stays in the clear. */
    @Override
    public String getOverridingMessage() {
        if (sealedText == null && original.getOverridingMessage() != null) {
            sealedText = sealedBehindClass(original.getOverridingMessage());
        }
        return sealedText;
    }

    private String sealedBehindClass(String text) {
        int clear = text.startsWith(getClassName()) ? getClassName().length() : 0;
        clear += clear > 0 && text.startsWith(COLON, clear) ? COLON.length() : 0;
        return clear == text.length() ? text : text.substring(0, clear) + seal.apply(text.substring(clear));
    }

    /** Seals all messages now. */
    void sealAll() {
        getMessage();
        getOverridingMessage();
        if (getCause() != null) {
            cause.sealAll();
        }
        if (getSuppressed() != null) {
            Arrays.stream(suppressed).forEach(SealedThrowable::sealAll);
        }
    }

    /** An exception with the same frames, whose text is sealed. */
    @Override
    public Throwable getThrowable() {
        IThrowableProxy cause = getCause();
        Throwable stand = new Stand(text(), cause instanceof SealedThrowable sealed ? sealed.getThrowable() : null);
        stand.setStackTrace(Arrays.stream(original.getStackTraceElementProxyArray())
                .map(StackTraceElementProxy::getStackTraceElement).toArray(StackTraceElement[]::new));
        for (IThrowableProxy suppressed : getSuppressed() == null ? new IThrowableProxy[0] : getSuppressed()) {
            stand.addSuppressed(((SealedThrowable) suppressed).getThrowable());
        }
        return stand;
    }

    private String text() {
        if (original instanceof ThrowableProxy proxy && proxy.getThrowable() != null) {
            try {
                return sealedBehindClass(proxy.getThrowable().toString());
            } catch (RuntimeException | StackOverflowError error) {
                return getClassName();
            }
        }
        return getMessage() == null ? getClassName() : getClassName() + COLON + getMessage();
    }

    @Override
    public String getClassName() {
        return original.getClassName();
    }

    @Override
    public StackTraceElementProxy[] getStackTraceElementProxyArray() {
        return original.getStackTraceElementProxyArray();
    }

    @Override
    public int getCommonFrames() {
        return original.getCommonFrames();
    }

    @Override
    public IThrowableProxy getCause() {
        if (cause == null && original.getCause() != null) {
            cause = new SealedThrowable(original.getCause(), seal);
        }
        return cause;
    }

    @Override
    public IThrowableProxy[] getSuppressed() {
        if (suppressed == null && original.getSuppressed() != null) {
            suppressed = Arrays.stream(original.getSuppressed()).map(one -> new SealedThrowable(one, seal))
                    .toArray(SealedThrowable[]::new);
        }
        return suppressed;
    }

    @Override
    public boolean isCyclic() {
        return original.isCyclic();
    }

    /** Stands for an exception of another class, which its text names. */
    private static final class Stand extends Throwable {
        private static final long serialVersionUID = 1;

        private final String text;

        private Stand() {
            super("", null, false, false);
            this.text = "";
        }

        private Stand(String text, Throwable cause) {
            super(text, cause, true, true);
            this.text = text;
        }

        // Its class is not the one that the text is to name.
        @SuppressWarnings("OverrideThrowableToString")
        @Override
        public String toString() {
            return text;
        }
    }
}
