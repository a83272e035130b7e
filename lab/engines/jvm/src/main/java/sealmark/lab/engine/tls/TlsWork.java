package sealmark.lab.engine.tls;

import java.util.Map;
import sealmark.lab.engine.Trouble;

/** A prepared job of TLS, with the contexts and threads that a user would have ready. */
public abstract class TlsWork implements AutoCloseable {
    final Ends ends;

    TlsWork(Ends ends) {
        this.ends = ends;
    }

    /** The name of the code that does the work, which may be another than the engine's. */
    public abstract String code();

    /** Does one span and says what it was. */
    public final Map<String, Object> time(String operation, long first, long count) throws Exception {
        if (!operation.equals(operations()[0]) && !operation.equals(operations()[1])) {
            throw Trouble.unsupported("this job has no operation \"" + operation + "\"");
        }
        if (operation.equals("resumed") && !ends.library.resumes(ends.job.terms)) {
            throw Trouble.unsupported(ends.library.code + " resumes no session of " + ends.job.terms.protocol);
        }
        Span span = new Span();
        time(operation.equals(operations()[1]), first, count, span);
        return span.connected(count);
    }

    private String[] operations() {
        return ends.job.transfers ? new String[] {"upload", "download"} : new String[] {"full", "resumed"};
    }

    /** {@code second}: whether it is the second of the job's two operations. */
    abstract void time(boolean second, long first, long count, Span span) throws Exception;

    /** Ends the threads. */
    @Override
    public void close() {}
}
