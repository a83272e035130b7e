package sealmark.log4j2;

import org.apache.logging.log4j.message.AsynchronouslyFormattable;
import org.apache.logging.log4j.message.MapMessage;
import org.apache.logging.log4j.message.Message;
import org.apache.logging.log4j.util.IndexedReadOnlyStringMap;

/** Objects that throw when they are asked for their text. */
final class Broken {
    private Broken() {}

    /** Checked exceptions, too, as other languages of the JVM do. */
    @SuppressWarnings("unchecked")
    static <T extends Throwable> RuntimeException sneaked(Throwable error) throws T {
        throw (T) error;
    }

    /** An argument. */
    record Word(Throwable error) {
        @Override
        public String toString() {
            throw sneaked(error);
        }
    }

    /** Log4j itself would ask others before there is an event. */
    @AsynchronouslyFormattable
    static final class Text implements Message {
        private static final long serialVersionUID = 1;

        private final Throwable error;

        Text() {
            this(new IllegalStateException("secret"));
        }

        Text(Throwable error) {
            this.error = error;
        }

        @Override
        public String getFormattedMessage() {
            throw sneaked(error);
        }

        @Override
        @SuppressWarnings("deprecation")
        public String getFormat() {
            return "";
        }

        @Override
        public Object[] getParameters() {
            throw sneaked(error);
        }

        @Override
        public Throwable getThrowable() {
            return null;
        }
    }

    @AsynchronouslyFormattable
    static final class Entries extends MapMessage<Entries, Object> {
        private static final long serialVersionUID = 1;

        private final Throwable error;

        Entries(Throwable error) {
            this.error = error;
        }

        @Override
        public IndexedReadOnlyStringMap getIndexedReadOnlyStringMap() {
            throw sneaked(error);
        }
    }

    static final class Words extends Exception {
        private static final long serialVersionUID = 1;

        private final Throwable error;

        Words() {
            this(new IllegalStateException("secret"));
        }

        Words(Throwable error) {
            super("secret");
            this.error = error;
        }

        @Override
        public String getLocalizedMessage() {
            throw sneaked(error);
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
