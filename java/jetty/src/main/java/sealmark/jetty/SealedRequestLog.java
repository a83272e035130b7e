package sealmark.jetty;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.jetty.server.CustomRequestLog;
import org.eclipse.jetty.server.RequestLog;
import org.eclipse.jetty.server.RequestLogWriter;
import org.eclipse.jetty.util.component.ContainerLifeCycle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import sealmark.log.Label;
import sealmark.log.access.AccessLogSealer;
import sealmark.log.access.LineLog;
import sealmark.log.access.RequestRules;
import sealmark.log.access.Rule;

/**
 * A request log in which tokens replace the values of query strings and everything else that its settings name.
 *
 * <pre>{@code
 * SealedRequestLog log = new SealedRequestLog(new RequestLogWriter("access.log"), CustomRequestLog.EXTENDED_NCSA_FORMAT);
 * log.set("recipientsFile", "recipients.txt");
 * server.setRequestLog(log);
 * }</pre>
 *
 * <p>It replaces {@code org.eclipse.jetty.server.CustomRequestLog}, with its formats and any writer. {@code sealmark log
 * open} restores the file that the original would have written. If a value cannot be sealed, for example because there is no
 * key, it becomes a marker, {@code ~s1x~name~}, and requests are still answered.
 *
 * <p>Paths stay in the clear unless {@code seal} names them, including escaped text in them: all of {@code /p%3Femail=x}. If
 * a {@link RequestLogWriter} begins a new file every day, a new session begins, too. A line may be written at that moment, so
 * give {@code sealmark log verify} both files.
 */
public class SealedRequestLog extends CustomRequestLog {
    private static final Logger LOG = LoggerFactory.getLogger(SealedRequestLog.class);

    private final SealingWriter writer;

    /**
     * A log that is to be configured and given to a server.
     *
     * @param writer gets the lines
     * @param format as in {@link CustomRequestLog}
     */
    public SealedRequestLog(RequestLog.Writer writer, String format) {
        this(new SealingWriter(writer, new Format(format)));
    }

    private SealedRequestLog(SealingWriter writer) {
        super(writer, writer.format.marked());
        this.writer = writer;
    }

    /**
     * Sets the readers of the log, or the values that are sealed in it.
     *
     * @param setting one of {@link AccessLogSealer}, such as {@code recipientsFile} or {@code seal}; elements are written as in
     *     the format: <code>%{client}a</code>, {@code %u}, <code>%{Authorization}i</code>, {@code %i} for all request headers
     * @param text the text of the setting; null counts as if it were not set
     * @throws IllegalArgumentException if no setting has that name
     */
    public void set(String setting, String text) {
        writer.sealer.set(setting, text);
    }

    /**
     * Counts the values that could not be sealed.
     *
     * @return should be 0
     */
    public long getFailed() {
        return writer.sealer.get().failed();
    }

    @Override
    public String getFormatString() {
        return writer.format.plain();
    }

    @Override
    public RequestLog.Writer getWriter() {
        return writer.original;
    }

    /** Seals lines in which Jetty has put marks around the elements. */
    static final class SealingWriter extends ContainerLifeCycle implements RequestLog.Writer {
        private static final Label LINE = Label.of("line");

        private final RequestLog.Writer original;
        private final Format format;
        private final AccessLogSealer sealer =
                new AccessLogSealer("log.set(\"recipientsFile\", \"recipients.txt\")", LOG::error, LOG::warn);
        private RequestRules rules;
        /** Null for an element of which nothing is sealed. */
        private volatile List<Rule> elements = List.of();
        private volatile LineLog log;

        SealingWriter(RequestLog.Writer original, Format format) {
            this.original = original;
            this.format = format;
            installBean(original);
        }

        @Override
        protected void doStart() throws Exception {
            sealer.begin(Path.of(""), UTF_8);
            rules = sealer.rules(Format.DIALECT, UTF_8, false);
            List<Rule> all = new ArrayList<>();
            format.elements().forEach(element -> all.add(rules.of(element)));
            rules.report("log.set(\"seal\", \"%u %{Authorization}i\")", LOG::error, LOG::warn);
            elements = all;
            log = new LineLog(sealer::get, original::write, this::file);
            super.doStart();
        }

        /** Another one after Jetty has begun a new file. */
        private String file() {
            return original instanceof RequestLogWriter file ? String.valueOf(file.getDatedFilename()) : "";
        }

        @Override
        public void write(String line) throws IOException {
            rules.record();
            List<String> parts = format.parts(line);
            log.write(() -> sealed(parts));
        }

        private String sealed(List<String> parts) {
            if (parts.size() != 2 * elements.size() + 1) {
                // Nobody can tell which text is an element.
                return sealer.get().seal(LINE, String.join("", parts));
            }
            StringBuilder line = new StringBuilder();
            for (int at = 0; at < parts.size(); at++) {
                Rule rule = at % 2 == 1 ? elements.get(at / 2) : null;
                line.append(rule == null ? parts.get(at) : rule.sealed(parts.get(at)));
            }
            return line.toString();
        }

        @Override
        protected void doStop() throws Exception {
            try {
                log.close();
            } catch (IOException error) {
                LOG.warn("could not write the closing token of a log session, so `sealmark log verify` will report it as not"
                        + " closed", error);
            } finally {
                super.doStop();
                sealer.end();
                rules.end();
            }
        }
    }
}
