package sealmark.reactornetty;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import reactor.netty.http.server.logging.AccessLog;
import reactor.netty.http.server.logging.AccessLogArgProvider;
import reactor.netty.http.server.logging.AccessLogFactory;
import sealmark.log.Sealers;
import sealmark.log.access.RequestRules;
import sealmark.log.access.Rule;
import sealmark.log.access.Values;

/**
 * Access logs in which tokens replace the values of query strings and everything else that {@link Builder#seal} names.
 *
 * <pre>{@code
 * HttpServer.create().accessLog(true, SealedAccessLog.builder().seal("%h").build());
 * }</pre>
 *
 * <p>Reactor Netty passes its lines to a logging framework, under the logger {@code reactor.netty.http.server.AccessLog}. A
 * Sealmark appender writes them there, with the headers that readers need; the sealer is the one that its configuration
 * installs. {@code sealmark log open} restores the log that Reactor Netty itself would have written. A value that cannot be
 * sealed, for example because there is no key, becomes a marker, {@code ~s1x~name~}.
 *
 * <p>Paths stay in the clear unless {@link Builder#seal} names {@code %U}.
 */
public final class SealedAccessLog implements AccessLogFactory {
    private static final System.Logger LOG = System.getLogger(SealedAccessLog.class.getName());

    private final RequestRules rules;
    private final List<Format.Part> parts;
    /** Null for a part of which nothing is sealed. */
    private final List<Rule> elements = new ArrayList<>();

    private SealedAccessLog(Builder builder) {
        Format format = new Format();
        String sealer = builder.sealer;
        rules = new RequestRules(format, builder.seal, builder.names, builder.clear,
                new Values(() -> Sealers.find(sealer), UTF_8, false), text -> LOG.log(System.Logger.Level.WARNING, text));
        parts = format.parts(builder.format);
        parts.forEach(part -> elements.add(part.element() == null ? null : rules.of(part.element())));
        rules.report("seal(\"%h %{Authorization}i\")", text -> LOG.log(System.Logger.Level.ERROR, text),
                text -> LOG.log(System.Logger.Level.WARNING, text));
    }

    /**
     * Begins a log with the format that Reactor Netty itself has.
     *
     * @return a builder that seals the values of queries
     */
    public static Builder builder() {
        return new Builder();
    }

    @Override
    public AccessLog apply(AccessLogArgProvider request) {
        rules.record();
        // The request belongs to its connection and is used again; the line is made when an appender writes it.
        List<String> texts = parts.stream().map(part -> part.write(request)).toList();
        return AccessLog.create("{}", new Line(() -> sealed(texts)));
    }

    private String sealed(List<String> texts) {
        StringBuilder line = new StringBuilder();
        for (int at = 0; at < texts.size(); at++) {
            Rule rule = elements.get(at);
            line.append(rule == null ? texts.get(at) : rule.sealed(texts.get(at)));
        }
        return line.toString();
    }

    /** A line with new tokens each time that it is asked for its text: each log has sessions of its own. */
    private static final class Line {
        /** Not the texts themselves: libraries that write all fields of an object would find them. */
        private final transient Supplier<String> sealed;

        Line(Supplier<String> sealed) {
            this.sealed = sealed;
        }

        @Override
        public String toString() {
            return sealed.get();
        }
    }

    /** Sets the format of the lines and the values to seal. */
    public static final class Builder {
        private String format = Format.DEFAULT;
        private String seal;
        private String names;
        private String clear;
        private String sealer = Sealers.DEFAULT;

        private Builder() {}

        /**
         * Chooses the elements of a line.
         *
         * @param format text with {@code %h} (the client's address), {@code %u} (user), {@code %t} (time), {@code %m} (method),
         *     {@code %U} (target with its query), {@code %H} (protocol), {@code %s} (status), {@code %b} (length), {@code %D}
         *     (milliseconds), <code>%{name}i</code> and <code>%{name}o</code> (headers of request and response) and
         *     <code>%{name}c</code> (cookie)
         * @return this builder
         */
        public Builder format(String format) {
            this.format = format;
            return this;
        }

        /**
         * Chooses elements that are sealed as a whole, besides the values of parameters, which are sealed wherever the format
         * shows them.
         *
         * @param seal elements as in the format, with commas or blanks between them; {@code %i} is all headers
         * @return this builder
         */
        public Builder seal(String seal) {
            this.seal = seal;
            return this;
        }

        /**
         * Names parameters that are sealed even if {@link #clear} has {@code *}, or an element that shows them.
         *
         * @param names with commas or blanks between them, regardless of case; one that matches nothing causes a warning, after
         *     1,000 requests
         * @return this builder
         */
        public Builder names(String names) {
            this.names = names;
            return this;
        }

        /**
         * Names parameters and elements that stay in the clear.
         *
         * @param clear parameters, written exactly as clients send them, or {@code *} for all; and elements as in the format,
         *     with commas or blanks between them
         * @return this builder
         */
        public Builder clear(String clear) {
            this.clear = clear;
            return this;
        }

        /**
         * Names the sealer in {@link Sealers}.
         *
         * @param sealer {@link Sealers#DEFAULT} by default
         * @return this builder
         */
        public Builder sealer(String sealer) {
            this.sealer = sealer;
            return this;
        }

        /**
         * Makes the log.
         *
         * @return for {@code HttpServer.accessLog}
         * @throws IllegalArgumentException if the format has an unknown element
         */
        public SealedAccessLog build() {
            return new SealedAccessLog(this);
        }
    }
}
