package sealmark.spring;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.apache.catalina.Valve;
import org.apache.catalina.valves.AbstractAccessLogValve;
import org.apache.catalina.valves.AccessLogValve;
import org.apache.catalina.valves.JsonAccessLogValve;
import org.springframework.beans.BeanUtils;
import org.springframework.beans.BeanWrapper;
import sealmark.tomcat.SealedAccessLogValve;
import sealmark.tomcat.SealedJsonAccessLogValve;

/** The access logs of an embedded Tomcat. */
final class TomcatAccessLog extends EmbeddedAccessLog {
    private static final List<String> VALVES = List.of("engineValves", "contextValves");

    TomcatAccessLog() {
        super("omcat");
    }

    @Override
    void replace(BeanWrapper factory) {
        VALVES.stream().filter(factory::isReadableProperty).forEach(valves -> replace(factory, valves));
    }

    private void replace(BeanWrapper factory, String property) {
        if (!(factory.getPropertyValue(property) instanceof Collection<?> valves)) {
            return;
        }
        List<Object> replaced = new ArrayList<>();
        valves.forEach(valve -> replaced.add(replacement((Valve) valve)));
        if (!replaced.equals(new ArrayList<>(valves))) {
            factory.setPropertyValue(property, replaced);
        }
    }

    private Valve replacement(Valve valve) {
        if (!(valve instanceof AbstractAccessLogValve) || valve instanceof SealedAccessLogValve) {
            return valve;
        }
        if (valve.getClass() == JsonAccessLogValve.class) {
            return sealed(valve, new SealedJsonAccessLogValve());
        }
        if (valve.getClass() == AccessLogValve.class) {
            return sealed(valve, new SealedAccessLogValve());
        }
        throw new NotSealedException(
                "the access log valve " + valve.getClass().getName() + " cannot be replaced with one that seals",
                "use " + AccessLogValve.class.getName() + " or " + SealedAccessLogValve.class.getName());
    }

    private Valve sealed(Valve valve, SealedAccessLogValve sealed) {
        BeanUtils.copyProperties(valve, sealed, "container", "next");
        configure(sealed::set);
        return sealed;
    }
}
