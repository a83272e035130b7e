package sealmark.logback;

import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.StackTraceElementProxy;
import java.util.function.UnaryOperator;

/** An exception whose messages are sealed when they are asked for, once: a token that nobody writes would be missed. */
final class SealedThrowable implements IThrowableProxy {
    private static final String COLON = ": ";

    private final IThrowableProxy original;
    private final UnaryOperator<String> seal;
    private String sealedMessage;
    private String sealedText;

    SealedThrowable(IThrowableProxy original, UnaryOperator<String> seal) {
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
        return original.getCause() == null ? null : new SealedThrowable(original.getCause(), seal);
    }

    @Override
    public IThrowableProxy[] getSuppressed() {
        IThrowableProxy[] suppressed = original.getSuppressed();
        if (suppressed == null) {
            return null;
        }
        IThrowableProxy[] sealed = new IThrowableProxy[suppressed.length];
        for (int at = 0; at < suppressed.length; at++) {
            sealed[at] = new SealedThrowable(suppressed[at], seal);
        }
        return sealed;
    }

    @Override
    public boolean isCyclic() {
        return original.isCyclic();
    }
}
