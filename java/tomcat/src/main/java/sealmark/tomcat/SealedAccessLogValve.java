package sealmark.tomcat;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedWriter;
import java.io.CharArrayWriter;
import java.io.File;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.Charset;
import java.util.Date;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.AccessLogValve;
import org.apache.juli.logging.Log;
import org.apache.juli.logging.LogFactory;
import sealmark.log.SessionLines;
import sealmark.log.Shape;
import sealmark.log.access.AccessLogSealer;
import sealmark.log.access.Dialect;
import sealmark.log.access.RequestRules;
import sealmark.log.access.Rule;

/**
 * An access log in which tokens replace the values of query strings and everything else that its settings name.
 *
 * <pre>{@code
 * <Valve className="sealmark.tomcat.SealedAccessLogValve" pattern="combined" recipientsFile="conf/recipients.txt"/>
 * }</pre>
 *
 * <p>It replaces {@code org.apache.catalina.valves.AccessLogValve} in {@code server.xml} or an embedded Tomcat, with all of
 * its attributes. {@code sealmark log open} restores the file that the original would have written. If a value cannot be
 * sealed, for example because there is no key, it becomes a marker, {@code ~s1x~name~}, and requests are still answered.
 *
 * <p>Lines with tokens are long, so {@code maxLogMessageBufferSize} is 8192 instead of 256. Paths stay in the clear unless
 * {@code seal} names them, including escaped text in them: all of {@code /p%3Femail=x}.
 */
public class SealedAccessLogValve extends AccessLogValve {
    private static final Log LOG = LogFactory.getLog(SealedAccessLogValve.class);
    /** Tomcat makes a new buffer where a line was longer. Lines with tokens are. */
    private static final int USUAL_BUFFER = 256;
    private static final int BUFFER = 8192;
    /** Characters, as many as Tomcat has. */
    private static final int FILE_BUFFER = 128_000;

    private final AccessLogSealer sealer;
    private final FileGate gate = new FileGate();
    private final SessionLines own;
    private final boolean json;
    private volatile RequestRules rules;

    /** A valve that is to be configured and added to a pipeline. */
    public SealedAccessLogValve() {
        this(Shape.PLAIN);
    }

    SealedAccessLogValve(Shape shape) {
        this(shape, new AccessLogSealer("recipientsFile=\"conf/recipients.txt\"", LOG::error, LOG::warn));
    }

    SealedAccessLogValve(Shape shape, AccessLogSealer sealer) {
        this.sealer = sealer;
        own = new SessionLines(shape);
        json = shape == Shape.JSON;
        prepareElements();
    }

    /**
     * Sets the readers of the log, or the values that are sealed in it.
     *
     * @param setting one of {@link AccessLogSealer}, such as {@code recipientsFile} or {@code seal}; names of files begin at
     *     {@code catalina.base} unless they are absolute, and elements are written as in the pattern: {@code %a}, {@code %u},
     *     <code>%{Authorization}i</code>, <code>%{JSESSIONID}c</code>, {@code %i} for all headers
     * @param text the text of the setting; null counts as if it were not set
     * @throws IllegalArgumentException if no setting has that name
     */
    public void set(String setting, String text) {
        sealer.set(setting, text);
        refresh();
    }

    /**
     * Sets what an attribute in {@code server.xml} says. Tomcat calls this.
     *
     * @param setting as in {@link #set}
     * @param text as in {@link #set}
     * @return false if no setting has that name; Tomcat warns of it
     */
    public boolean setProperty(String setting, String text) {
        try {
            set(setting, text);
            return true;
        } catch (IllegalArgumentException unknown) {
            return false;
        }
    }

    /**
     * The name of the sealer in {@link sealmark.log.Sealers}.
     *
     * @return {@code default} if none was set
     */
    public String getSealer() {
        return sealer.name();
    }

    /**
     * Counts the values that this valve's sealer could not seal.
     *
     * @return should be 0; JMX shows it
     */
    public long getFailed() {
        return sealer.get().failed();
    }

    @Override
    protected synchronized void startInternal() throws LifecycleException {
        if (getMaxLogMessageBufferSize() == USUAL_BUFFER) {
            setMaxLogMessageBufferSize(BUFFER);
        }
        sealer.begin(getContainer().getCatalinaBase().toPath(), charset());
        refresh();
        rules.report("seal=\"%u %{Authorization}i\"", LOG::error, LOG::warn);
        boolean isStarted = false;
        try {
            super.startInternal();
            isStarted = true;
        } finally {
            if (!isStarted) {
                sealer.end();
            }
        }
    }

    /** Ends the log in order, and the sealer if it is the valve's own. */
    @Override
    protected synchronized void stopInternal() throws LifecycleException {
        try {
            super.stopInternal();
        } finally {
            gate.open();
            sealer.end();
            rules.end();
        }
    }

    /**
     * Tomcat rotates the file while it makes a line. Here that happens before, because the values of the line belong to the
     * file to which it is written.
     */
    @Override
    public void log(Request request, Response response, long time) {
        if (getState().isAvailable() && getEnabled()) {
            rotate();
            leaveFileThatIsGone();
            rules.record();
        }
        gate.line(() -> own.format(() -> {
            super.log(request, response, time);
            return request;
        }));
    }

    @Override
    public void log(CharArrayWriter line) {
        gate.takeFile();
        try {
            if (writer != null) {
                line.write(System.lineSeparator());
                line.writeTo(writer);
                flushUnbuffered();
            }
        } catch (IOException error) {
            LOG.warn("a line of the access log was not written: " + error);
        } finally {
            gate.file().unlock();
        }
    }

    @Override
    public void rotate() {
        try {
            super.rotate();
        } finally {
            gate.open();
        }
    }

    @Override
    public synchronized boolean rotate(String newFileName) {
        try {
            return super.rotate(newFileName);
        } finally {
            gate.open();
        }
    }

    @Override
    protected synchronized void open() {
        gate.file().lock();
        try {
            super.open();
            if (writer != null) {
                writer.close();
                writer = null;
                LogFile file = new LogFile(currentLogFile);
                Writer text = new BufferedWriter(new OutputStreamWriter(file, charset()), FILE_BUFFER);
                text.write(own.opening(currentLogFile.toPath()));
                writer = new LineWriter(text, own, sealer::get, gate, () -> afterFault(file.takeFault()));
            }
        } catch (IOException error) {
            LOG.warn("the access log was not opened: " + error);
        } finally {
            gate.file().unlock();
        }
    }

    /** The text to write first where lines are missing: a header may be among them. */
    private String afterFault(IOException fault) {
        if (fault == null) {
            return "";
        }
        LOG.warn("lines of the access log were not written: " + fault);
        return own.opening(currentLogFile.toPath());
    }

    @Override
    protected AccessLogElement createAccessLogElement(String name, char pattern) {
        return sealed(super.createAccessLogElement(name, pattern), name, pattern);
    }

    @Override
    protected AccessLogElement createAccessLogElement(char pattern) {
        return sealed(super.createAccessLogElement(pattern), null, pattern);
    }

    /** The element itself, if there is nothing to seal in it. */
    final AccessLogElement sealed(AccessLogElement element, String name, char letter) {
        Rule rule = rules.of(new Dialect.Element(String.valueOf(letter), name));
        return rule == null ? element : new SealedElement(element, rule, json);
    }

    /** Where somebody else has moved the file away, there is nothing left to be renamed. */
    private void leaveFileThatIsGone() {
        if (isCheckExists() && isFileGone()) {
            synchronized (this) {
                if (isFileGone()) {
                    rotate(currentLogFile.getPath());
                }
            }
        }
    }

    private boolean isFileGone() {
        File file = currentLogFile;
        return file != null && !file.exists();
    }

    private void flushUnbuffered() {
        if (!isBuffered()) {
            writer.flush();
        }
    }

    /** The pattern's elements, as all attributes together say. They come in any order. */
    private void refresh() {
        prepareElements();
        if (getPattern() != null) {
            setPattern(getPattern());
        }
    }

    private void prepareElements() {
        rules = sealer.rules(new Pattern(), charset(), json);
    }

    /** The charset as Tomcat itself chooses it. */
    private Charset charset() {
        try {
            return getEncoding() == null ? UTF_8 : Charset.forName(getEncoding());
        } catch (IllegalArgumentException error) {
            return UTF_8;
        }
    }

    /** Looks at what an element of Tomcat's wrote before it goes into the line. */
    private record SealedElement(AccessLogElement element, Rule rule, boolean json) implements AccessLogElement, CachedElement {
        @Override
        public void addElement(CharArrayWriter line, Request request, Response response, long time) {
            ElementBuffer written = new ElementBuffer();
            element.addElement(written, request, response, time);
            written.writeTo(line, rule, json);
        }

        /** The one that Tomcat 9 calls. */
        @Override
        @SuppressWarnings("deprecation")
        public void addElement(CharArrayWriter line, Date date, Request request, Response response, long time) {
            ElementBuffer written = new ElementBuffer();
            element.addElement(written, date, request, response, time);
            written.writeTo(line, rule, json);
        }

        @Override
        public void cache(Request request) {
            if (element instanceof CachedElement cached) {
                cached.cache(request);
            }
        }
    }
}
