package sealmark.undertow;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.undertow.attribute.ExchangeAttribute;
import io.undertow.attribute.ExchangeAttributeParser;
import io.undertow.attribute.ExchangeAttributes;
import io.undertow.attribute.SubstituteEmptyWrapper;
import io.undertow.server.HttpHandler;
import io.undertow.server.HttpServerExchange;
import io.undertow.server.handlers.accesslog.AccessLogReceiver;
import java.io.IOException;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import sealmark.log.access.AccessLogSealer;
import sealmark.log.access.LineLog;
import sealmark.log.access.RequestRules;
import sealmark.log.access.Rule;

/**
 * Writes an access log in which tokens replace the values of query strings and everything else that its settings name.
 *
 * <pre>{@code
 * SealedAccessLogHandler log = new SealedAccessLogHandler(next, receiver, "combined", Main.class.getClassLoader());
 * log.set("recipientsFile", "recipients.txt");
 * log.start();
 * Undertow server = Undertow.builder().addHttpListener(8080, "localhost").setHandler(log).build();
 * }</pre>
 *
 * <p>It replaces {@code io.undertow.server.handlers.accesslog.AccessLogHandler}, with its formats and any receiver.
 * {@code sealmark log open} restores the log that the original would have written. If a value cannot be sealed, for example
 * because there is no key, it becomes a marker, {@code ~s1x~name~}, and requests are still answered.
 *
 * <p>Paths stay in the clear unless {@code seal} names them. A new session begins every day, because a
 * {@code DefaultAccessLogReceiver} then begins a new file. The receiver writes lines some time after it gets them, so give
 * {@code sealmark log verify} all files.
 */
public final class SealedAccessLogHandler implements HttpHandler, AutoCloseable {
    private static final System.Logger LOG = System.getLogger(SealedAccessLogHandler.class.getName());
    /** The names that Undertow has for formats. */
    private static final Map<String, String> FORMATS = Map.of("common", "%h %l %u %t \"%r\" %s %b",
            "combined", "%h %l %u %t \"%r\" %s %b \"%{i,Referer}\" \"%{i,User-Agent}\"",
            "commonobf", "%o %l %u %t \"%r\" %s %b",
            "combinedobf", "%o %l %u %t \"%r\" %s %b \"%{i,Referer}\" \"%{i,User-Agent}\"");

    private final HttpHandler next;
    private final AccessLogReceiver receiver;
    private final String format;
    private final ExchangeAttributeParser parser;
    private final AccessLogSealer sealer = new AccessLogSealer("log.set(\"recipientsFile\", \"recipients.txt\")",
            SealedAccessLogHandler::error, SealedAccessLogHandler::warn);
    private RequestRules rules;
    private List<Part> parts;
    private volatile LineLog log;

    /** Text of the format, or an attribute; the rule is null if nothing of it is sealed. */
    private record Part(ExchangeAttribute attribute, Rule rule) {
        /** Undertow writes nothing for null. */
        private String text(HttpServerExchange exchange) {
            return Objects.requireNonNullElse(attribute.readAttribute(exchange), "");
        }
    }

    /**
     * A handler that is to be configured and started.
     *
     * @param next answers the requests
     * @param receiver gets the lines
     * @param format {@code common}, {@code combined} or attributes, as in Undertow's own handler
     * @param loader finds attributes of others
     */
    public SealedAccessLogHandler(HttpHandler next, AccessLogReceiver receiver, String format, ClassLoader loader) {
        this.next = next;
        this.receiver = receiver;
        this.format = FORMATS.getOrDefault(format, format);
        parser = ExchangeAttributes.parser(loader, new SubstituteEmptyWrapper("-"));
    }

    /**
     * Sets the readers of the log, or the values that are sealed in it.
     *
     * @param setting one of {@link AccessLogSealer}, such as {@code recipientsFile} or {@code seal}; attributes are written as
     *     in the format: {@code %h}, {@code %u}, <code>%{i,Authorization}</code>, <code>%{i}</code> for all request headers
     * @param text the text of the setting; null counts as if it were not set
     * @throws IllegalArgumentException if no setting has that name
     */
    public void set(String setting, String text) {
        sealer.set(setting, text);
    }

    /**
     * Counts the values that could not be sealed.
     *
     * @return should be 0
     */
    public long getFailed() {
        return sealer.get().failed();
    }

    /** Begins the log with the settings that there are; called before the server starts. */
    public void start() {
        sealer.begin(Path.of(""), UTF_8);
        rules = sealer.rules(new Attributes(), UTF_8, false);
        parts = new ArrayList<>();
        Matcher token = Attributes.TOKEN.matcher(format);
        int done = 0;
        while (token.find()) {
            addText(format.substring(done, token.start()));
            if (token.group().equals("%%")) {
                addText("%");
            } else {
                parts.add(new Part(parser.parse(token.group()), rules.of(Attributes.element(token))));
            }
            done = token.end();
        }
        addText(format.substring(done));
        rules.report("log.set(\"seal\", \"%u %{i,Authorization}\")", SealedAccessLogHandler::error,
                SealedAccessLogHandler::warn);
        log = new LineLog(sealer::get, receiver::logMessage, LocalDate::now);
    }

    /** Undertow takes text from a dollar sign on for an attribute, too. */
    private void addText(String text) {
        if (text.contains("$")) {
            parts.add(new Part(parser.parse(text), rules.of(Attributes.ofContext(text))));
        } else if (!text.isEmpty()) {
            parts.add(new Part(ExchangeAttributes.constant(text), null));
        }
    }

    @Override
    public void handleRequest(HttpServerExchange exchange) throws Exception {
        exchange.addExchangeCompleteListener((completed, listener) -> {
            try {
                log(completed);
            } finally {
                listener.proceed();
            }
        });
        next.handleRequest(exchange);
    }

    private void log(HttpServerExchange exchange) {
        LineLog running = log;
        if (running == null) {
            error("the access log was not started, so requests are not logged"
                    + "\nhint: call log.start() before the server starts");
            return;
        }
        rules.record();
        List<String> texts = parts.stream().map(part -> part.text(exchange)).toList();
        try {
            running.write(() -> sealed(texts));
        } catch (IOException error) {
            error("a line of the access log was not written: " + error);
        }
    }

    private String sealed(List<String> texts) {
        StringBuilder line = new StringBuilder();
        for (int at = 0; at < texts.size(); at++) {
            Rule rule = parts.get(at).rule;
            line.append(rule == null ? texts.get(at) : rule.sealed(texts.get(at)));
        }
        return line.toString();
    }

    /** Ends the log in order, and the sealer if it is its own; called when the server has stopped, before the receiver. */
    @Override
    public void close() {
        LineLog running = log;
        if (running == null) {
            return;
        }
        try {
            running.close();
        } catch (IOException error) {
            warn("could not write the closing token of a log session, so `sealmark log verify` will report it as not closed: "
                    + error);
        } finally {
            sealer.end();
            rules.end();
        }
    }

    private static void error(String message) {
        LOG.log(System.Logger.Level.ERROR, message);
    }

    private static void warn(String message) {
        LOG.log(System.Logger.Level.WARNING, message);
    }
}
