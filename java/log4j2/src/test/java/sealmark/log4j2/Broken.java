package sealmark.log4j2;

import org.apache.logging.log4j.message.AsynchronouslyFormattable;
import org.apache.logging.log4j.message.Message;

/** What throws when it is asked for what it is to say. */
final class Broken {
    private Broken() {}

    /** Log4j itself would ask others before there is an event. */
    @AsynchronouslyFormattable
    static final class Text implements Message {
        private static final long serialVersionUID = 1;

        @Override
        public String getFormattedMessage() {
            throw new IllegalStateException("secret");
        }

        @Override
        @SuppressWarnings("deprecation")
        public String getFormat() {
            return "";
        }

        @Override
        public Object[] getParameters() {
            throw new IllegalStateException("secret");
        }

        @Override
        public Throwable getThrowable() {
            return null;
        }
    }

    static final class Words extends Exception {
        private static final long serialVersionUID = 1;

        Words() {
            super("secret");
        }

        @Override
        public String getLocalizedMessage() {
            throw new IllegalStateException("secret");
        }
    }

    static final class Frames extends Exception {
        private static final long serialVersionUID = 1;

        Frames() {
            super("secret");
        }

        @Override
        public StackTraceElement[] getStackTrace() {
            throw new IllegalStateException("secret");
        }
    }
}
