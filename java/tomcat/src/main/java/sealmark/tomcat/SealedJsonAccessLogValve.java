package sealmark.tomcat;

import java.util.IdentityHashMap;
import org.apache.catalina.valves.JsonAccessLogValve;
import sealmark.log.Shape;

/**
 * Writes the lines of {@code org.apache.catalina.valves.JsonAccessLogValve} with values sealed; they stay JSON. An opened line is
 * equal to the plain one, except that characters which Tomcat escapes without need come out as themselves.
 */
public class SealedJsonAccessLogValve extends SealedAccessLogValve {
    /** A valve that is to be configured and added to a pipeline. */
    public SealedJsonAccessLogValve() {
        super(Shape.JSON);
    }

    @Override
    protected AccessLogElement[] createLogElements() {
        super.createLogElements();
        Json json = new Json();
        json.setIpv6Canonical(getIpv6Canonical());
        json.setRequestAttributesEnabled(getRequestAttributesEnabled());
        json.setLocale(getLocale());
        json.setPattern(getPattern());
        return json.elements();
    }

    /** A valve that never starts: it knows how Tomcat writes elements as members. */
    private final class Json extends JsonAccessLogValve {
        private final IdentityHashMap<AccessLogElement, AccessLogElement> sealed = new IdentityHashMap<>();

        private AccessLogElement[] elements() {
            AccessLogElement[] elements = logElements.clone();
            for (int at = 0; at < elements.length; at++) {
                elements[at] = sealed.getOrDefault(elements[at], elements[at]);
            }
            return elements;
        }

        @Override
        protected AccessLogElement createAccessLogElement(String name, char pattern) {
            AccessLogElement element = super.createAccessLogElement(name, pattern);
            sealed.put(element, sealed(element, name, pattern));
            return element;
        }

        @Override
        protected AccessLogElement createAccessLogElement(char pattern) {
            AccessLogElement element = super.createAccessLogElement(pattern);
            sealed.put(element, sealed(element, null, pattern));
            return element;
        }
    }
}
