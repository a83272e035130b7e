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
import sealmark.log.OwnLines;
import sealmark.log.Sealers;
import sealmark.log.Shape;
import sealmark.log.access.AccessLogSealer;
import sealmark.log.access.Dialect;
import sealmark.log.access.RequestRules;
import sealmark.log.access.Rule;
import sealmark.log.access.Values;

/**
 * An access log in which the values of query strings are tokens, and everything else that {@link #setSeal} names.
 *
 * <pre>{@code
 * <Valve className="sealmark.tomcat.SealedAccessLogValve" pattern="combined" recipientsFile="conf/recipients.txt"/>
 * }</pre>
 *
 * <p>It takes the place of {@code org.apache.catalina.valves.AccessLogValve} in {@code server.xml} or an embedded Tomcat,
 * with all of its attributes. {@code sealmark log open} makes the file that it would have written. A value that cannot be
 * sealed, for example because there is no key, becomes a marker, {@code ~s1x~name~}, and requests are answered all the same.
 *
 * <p>Lines with tokens are long, so {@code maxLogMessageBufferSize} is 8192 instead of 256. Paths stay in the clear unless {@link
 * #setSeal} names them, with escaped text in them: all of {@code /p%3Femail=x}.
 */
public class SealedAccessLogValve extends AccessLogValve {
    private static final Log LOG = LogFactory.getLog(SealedAccessLogValve.class);
    /** Tomcat makes a new buffer where a line was longer. Lines with tokens are. */
    private static final int USUAL_BUFFER = 256;
    private static final int BUFFER = 8192;
    /** Characters, as many as Tomcat has. */
    private static final int FILE_BUFFER = 128_000;

    private final AccessLogSealer sealer;
    private final Passage passage = new Passage();
    private final Written.Shelf shelf = new Written.Shelf();
    private final OwnLines own;
    private final boolean json;
    private String seal = "query";
    private String names;
    private String clear;
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
        own = new OwnLines(shape);
        json = shape == Shape.JSON;
        prepareElements();
    }

    /**
     * Chooses the elements and parameters to seal.
     *
     * @param seal words with commas or blanks between them: {@code query}, which is the default, for the values of
     *     parameters wherever the pattern shows them, and elements as in the pattern that are sealed as a whole:
     *     {@code %a}, {@code %u}, <code>%{Authorization}i</code>, <code>%{JSESSIONID}c</code>; {@code %i} is all headers
     */
    public void setSeal(String seal) {
        this.seal = seal;
        refresh();
    }

    /**
     * Chooses the elements and parameters to seal.
     *
     * @return as in {@link #setSeal}
     */
    public String getSeal() {
        return seal;
    }

    /**
     * Chooses the parameters to seal.
     *
     * @param names with commas or blanks between them, regardless of case; without names, which is the default, all are sealed.
     *     A name that matches nothing causes a warning, after 1,000 requests and when the valve stops
     */
    public void setNames(String names) {
        this.names = names;
        refresh();
    }

    /**
     * Chooses the parameters to seal.
     *
     * @return as in {@link #setNames}
     */
    public String getNames() {
        return names;
    }

    /**
     * Chooses parameters that stay in the clear if all others are sealed.
     *
     * @param clear with commas or blanks between them, written just as clients do; none by default
     */
    public void setClear(String clear) {
        this.clear = clear;
        refresh();
    }

    /**
     * Chooses parameters that stay in the clear if all others are sealed.
     *
     * @return as in {@link #setClear}
     */
    public String getClear() {
        return clear;
    }

    /**
     * The name of the sealer in {@link Sealers}. Where the valve has keys of its own, it installs its sealer under that
     * name, unless another has it.
     *
     * @param sealer {@code default}, if nobody calls this
     */
    public void setSealer(String sealer) {
        this.sealer.setName(sealer);
    }

    /**
     * The name of the sealer in {@link Sealers}.
     *
     * @return as in {@link #setSealer}
     */
    public String getSealer() {
        return sealer.name();
    }

    /**
     * Names the readers, who can open the log.
     *
     * @param recipient public keys, with commas or blanks between them
     */
    public void setRecipient(String recipient) {
        sealer.set("recipient", recipient);
    }

    /**
     * Names the readers, who can open the log.
     *
     * @param file public keys, one a line; begins at {@code catalina.base} where it is not absolute
     */
    public void setRecipientsFile(String file) {
        sealer.set("recipientsFile", file);
    }

    /**
     * Names the pre-shared key whose holders can open the log, in place of recipients.
     *
     * @param file holds one pre-shared key; begins at {@code catalina.base} where it is not absolute
     */
    public void setPreSharedKeyFile(String file) {
        sealer.set("preSharedKeyFile", file);
    }

    /**
     * Hides how long values are.
     *
     * @param multiple bytes that lengths are rounded up to, as in {@link sealmark.log.Builder#padding}
     */
    public void setPadding(String multiple) {
        sealer.set("padding", multiple);
    }

    /**
     * Limits the lifetime of a session.
     *
     * @param age as {@code PT1H}, which is the default
     */
    public void setRotateAfter(String age) {
        sealer.set("rotateAfter", age);
    }

    /**
     * Limits the number of values of a session.
     *
     * @param values a number, as in {@link sealmark.log.Builder#rotateAfterValues}
     */
    public void setRotateAfterValues(String values) {
        sealer.set("rotateAfterValues", values);
    }

    /**
     * A file that gets the headers of all sessions, too.
     *
     * @param file is appended to; begins at {@code catalina.base} where it is not absolute
     */
    public void setSideFile(String file) {
        sealer.set("sideFile", file);
    }

    /**
     * Sets the time after which a warning says that the log lacks the header of a session.
     *
     * @param time as {@code PT10S}, which is the default
     */
    public void setHeaderWithin(String time) {
        sealer.set("headerWithin", time);
    }

    /**
     * Chooses the engine.
     *
     * @param engine {@code auto}, which is the default, {@code native} or {@code pure-java}
     */
    public void setEngine(String engine) {
        sealer.set("engine", engine);
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
        rules.report("seal=\"query %u %{Authorization}i\"", LOG::error, LOG::warn);
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
            passage.open();
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
        passage.line(() -> own.format(() -> {
            super.log(request, response, time);
            return request;
        }));
    }

    @Override
    public void log(CharArrayWriter line) {
        passage.takeFile();
        try {
            if (writer != null) {
                line.write(System.lineSeparator());
                line.writeTo(writer);
                flushUnbuffered();
            }
        } catch (IOException error) {
            LOG.warn("a line of the access log was not written: " + error);
        } finally {
            passage.file().unlock();
        }
    }

    @Override
    public void rotate() {
        try {
            super.rotate();
        } finally {
            passage.open();
        }
    }

    @Override
    public synchronized boolean rotate(String newFileName) {
        try {
            return super.rotate(newFileName);
        } finally {
            passage.open();
        }
    }

    @Override
    protected synchronized void open() {
        passage.file().lock();
        try {
            super.open();
            if (writer != null) {
                writer.close();
                writer = null;
                LogFile file = new LogFile(currentLogFile);
                Writer text = new BufferedWriter(new OutputStreamWriter(file, charset()), FILE_BUFFER);
                text.write(own.opening(currentLogFile.toPath()));
                writer = new LineWriter(text, own, sealer::get, passage, () -> afterFault(file.takeFault()));
            }
        } catch (IOException error) {
            LOG.warn("the access log was not opened: " + error);
        } finally {
            passage.file().unlock();
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
        return rule == null ? element : new SealedElement(element, rule);
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
        rules = new RequestRules(new Pattern(), seal, names, clear, new Values(sealer::get, charset(), json), LOG::warn);
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
    private final class SealedElement implements AccessLogElement, CachedElement {
        private final AccessLogElement element;
        private final Rule rule;

        SealedElement(AccessLogElement element, Rule rule) {
            this.element = element;
            this.rule = rule;
        }

        @Override
        public void addElement(CharArrayWriter line, Request request, Response response, long time) {
            Written written = shelf.take();
            try {
                element.addElement(written, request, response, time);
                Texts.write(written, rule, json, line);
            } finally {
                shelf.giveBack(written);
            }
        }

        /** The one that Tomcat 9 calls. */
        @Override
        @SuppressWarnings("deprecation")
        public void addElement(CharArrayWriter line, Date date, Request request, Response response, long time) {
            Written written = shelf.take();
            try {
                element.addElement(written, date, request, response, time);
                Texts.write(written, rule, json, line);
            } finally {
                shelf.giveBack(written);
            }
        }

        @Override
        public void cache(Request request) {
            if (element instanceof CachedElement cached) {
                cached.cache(request);
            }
        }
    }
}
