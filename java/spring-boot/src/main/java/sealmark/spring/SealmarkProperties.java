package sealmark.spring;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.core.env.Environment;
import sealmark.log.LogSealer;
import sealmark.log.SealerSettings;

/**
 * The properties of an application whose logs are sealed. They are read before logging begins.
 *
 * <pre>{@code
 * sealmark.recipients-file=recipients.txt
 * sealmark.seal=email,user.*
 * }</pre>
 *
 * @param enabled false if nothing is sealed: all values are then written in the clear, and a warning says so
 * @param seal names of values to seal in the MDC and in key-value pairs; "*" stands for any characters, and "message" seals
 *     each message as a whole; empty if only Sealed.of values are to be sealed
 * @param sealExceptions true if the messages of exceptions are sealed
 * @param recipient public keys of the readers
 * @param recipientsFile file with the public keys of the readers, one a line
 * @param preSharedKeyFile file with one pre-shared key, in the place of public keys
 * @param padding number of bytes that lengths of values are rounded up to
 * @param rotateAfter lifetime of a session
 * @param rotateAfterValues number of values of a session
 * @param sideFile file that gets the headers of all sessions, too
 * @param headerWithin time after which a warning says that no log has the header of a session
 * @param engine code that makes tokens
 * @param recipientsCheck time between two looks at the file of public keys, which is read again if it has changed
 * @param accessLog elements of the access log of an embedded server that are sealed
 */
@ConfigurationProperties("sealmark")
public record SealmarkProperties(
        @DefaultValue("true") boolean enabled,
        List<String> seal,
        @DefaultValue("true") boolean sealExceptions,
        List<String> recipient,
        String recipientsFile,
        String preSharedKeyFile,
        Integer padding,
        Duration rotateAfter,
        Long rotateAfterValues,
        String sideFile,
        Duration headerWithin,
        LogSealer.Engine engine,
        @DefaultValue("10s") Duration recipientsCheck,
        @DefaultValue AccessLog accessLog) {
    private static final String PREFIX = "sealmark";

    /**
     * The elements of the access log of an embedded server that are sealed, written as in its format.
     *
     * @param seal elements of the pattern that are sealed as a whole, besides the values of all parameters, such as %u or
     *     %{Authorization}i
     * @param names parameters that are sealed even if clear has "*", or an element that shows them
     * @param clear parameters and elements that stay in the clear; "*" for all parameters but those in names
     */
    public record AccessLog(List<String> seal, List<String> names, List<String> clear) {}

    static SealmarkProperties of(Environment environment) {
        return Binder.get(environment).bindOrCreate(PREFIX, SealmarkProperties.class);
    }

    /**
     * A sealer with these properties.
     *
     * @throws NotSealedException if there is none; says why
     */
    LogSealer sealer() {
        if (seal == null) {
            throw new NotSealedException("sealmark.seal is not set, so no value would be sealed by its name",
                    "set sealmark.seal=email,user.* with the names of your values, or sealmark.seal= if only Sealed.of values"
                            + " are to be sealed");
        }
        if (recipient == null && recipientsFile == null && preSharedKeyFile == null) {
            throw new NotSealedException("no public key is configured, so sealed values could not be opened",
                    "make a key pair with `sealmark keygen -o key.txt`, its public key with `sealmark keygen -y key.txt >"
                            + " recipients.txt`, and set sealmark.recipients-file=recipients.txt");
        }
        try {
            return settings().build(Path.of(""));
        } catch (Exception | LinkageError error) {
            throw new NotSealedException(error);
        }
    }

    private SealerSettings settings() {
        SealerSettings settings = new SealerSettings(SealmarkProperties::property);
        settings.set("recipient", recipient == null ? null : String.join(" ", recipient));
        settings.set("recipientsFile", recipientsFile);
        settings.set("preSharedKeyFile", preSharedKeyFile);
        settings.set("padding", text(padding));
        settings.set("rotateAfter", text(rotateAfter));
        settings.set("rotateAfterValues", text(rotateAfterValues));
        settings.set("sideFile", sideFile);
        settings.set("headerWithin", text(headerWithin));
        settings.set("engine", engine == null ? null : engine.name().toLowerCase(Locale.ROOT));
        return settings;
    }

    /** {@code sealmark.recipients-file} for {@code recipientsFile}. */
    private static String property(String setting) {
        return PREFIX + "." + setting.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
    }

    private static String text(Object value) {
        return value == null ? null : value.toString();
    }
}
