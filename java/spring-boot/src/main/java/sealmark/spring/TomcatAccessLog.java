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
import org.springframework.beans.PropertyAccessorFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.EnvironmentAware;
import org.springframework.core.env.Environment;
import sealmark.tomcat.SealedAccessLogValve;
import sealmark.tomcat.SealedJsonAccessLogValve;

/**
 * Replaces the access logs of an embedded Tomcat with sealed ones, which have the same settings.
 *
 * <p>It finds the factory of servers by its properties, because Spring Boot 4 has moved the classes of Spring Boot 3.
 */
final class TomcatAccessLog implements BeanPostProcessor, EnvironmentAware {
    private static final List<String> VALVES = List.of("engineValves", "contextValves");

    private SealmarkProperties.AccessLog settings;

    @Override
    public void setEnvironment(Environment environment) {
        settings = SealmarkProperties.of(environment).accessLog();
    }

    /** Called after all customizers of the factory. */
    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        if (isFactory(bean.getClass())) {
            BeanWrapper factory = PropertyAccessorFactory.forBeanPropertyAccess(bean);
            VALVES.stream().filter(factory::isReadableProperty).forEach(valves -> replace(factory, valves));
        }
        return bean;
    }

    /** Applications have factories of their own, which extend Spring Boot's. */
    private static boolean isFactory(Class<?> type) {
        return type != null && ((type.getName().startsWith("org.springframework.boot.") && type.getName().contains("omcat"))
                || isFactory(type.getSuperclass()));
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
        sealed.set("seal", text(settings.seal()));
        sealed.set("names", text(settings.names()));
        sealed.set("clear", text(settings.clear()));
        return sealed;
    }

    private static String text(List<String> words) {
        return words == null ? null : String.join(" ", words);
    }
}
