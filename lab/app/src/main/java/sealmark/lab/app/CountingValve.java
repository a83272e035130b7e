package sealmark.lab.app;

import jakarta.servlet.ServletException;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.apache.catalina.AccessLog;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;

/** Counts what has been logged: Tomcat answers first and logs then, so the last answer is not the end. */
final class CountingValve extends ValveBase implements AccessLog {
    private static final long PATIENCE_NS = 5_000_000_000L;
    private static final long NAP_NS = 20_000;

    private final AtomicLong count = new AtomicLong();

    CountingValve() {
        super(true);
    }

    @Override
    public void log(Request request, Response response, long time) {
        count.incrementAndGet();
    }

    void forget() {
        count.set(0);
    }

    /** Waits until so many requests have been logged since they were forgotten. */
    void await(long wanted) throws Trouble {
        long deadline = System.nanoTime() + PATIENCE_NS;
        while (count.get() < wanted) {
            if (System.nanoTime() > deadline) {
                throw Trouble.failed("of " + wanted + " requests " + count.get() + " were logged");
            }
            LockSupport.parkNanos(NAP_NS);
        }
    }

    @Override
    public void invoke(Request request, Response response) throws IOException, ServletException {
        getNext().invoke(request, response);
    }

    @Override
    public void setRequestAttributesEnabled(boolean requestAttributesEnabled) {
        // It reads nothing of a request.
    }

    @Override
    public boolean getRequestAttributesEnabled() {
        return false;
    }
}
