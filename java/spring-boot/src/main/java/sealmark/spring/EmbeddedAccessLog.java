package sealmark.spring;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandleProxies;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.UnaryOperator;
import org.springframework.beans.BeanUtils;
import org.springframework.beans.BeanWrapper;
import org.springframework.beans.PropertyAccessorFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.EnvironmentAware;
import org.springframework.core.env.Environment;

/**
 * Replaces the access logs of an embedded server with sealed ones, which have the same settings.
 *
 * <p>It finds the factory of servers by its name and properties, because Spring Boot 4 has moved the classes of Spring Boot 3.
 */
abstract class EmbeddedAccessLog implements BeanPostProcessor, EnvironmentAware {
    private static final String CUSTOMIZERS = "serverCustomizers";

    private final String server;
    private SealmarkProperties.AccessLog settings;

    EmbeddedAccessLog(String server) {
        this.server = server;
    }

    @Override
    public void setEnvironment(Environment environment) {
        settings = SealmarkProperties.of(environment).accessLog();
    }

    /** Called after all customizers of the factory. */
    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        if (isFactory(bean.getClass())) {
            replace(PropertyAccessorFactory.forBeanPropertyAccess(bean));
        }
        return bean;
    }

    /** Applications have factories of their own, which extend Spring Boot's. */
    private boolean isFactory(Class<?> type) {
        return type != null && ((type.getName().startsWith("org.springframework.boot.") && type.getName().contains(server))
                || isFactory(type.getSuperclass()));
    }

    /** Does so for the servers of a factory; other beans of Spring Boot may come here, too. */
    abstract void replace(BeanWrapper factory);

    /** Passes the settings of access logs on. */
    void configure(BiConsumer<String, String> log) {
        log.accept("seal", text(settings.seal()));
        log.accept("names", text(settings.names()));
        log.accept("clear", text(settings.clear()));
    }

    private static String text(List<String> words) {
        return words == null ? null : String.join(" ", words);
    }

    /** Has each server changed after all other customizers. */
    static void customize(BeanWrapper factory, UnaryOperator<Object> change) {
        if (factory.isReadableProperty(CUSTOMIZERS) && factory.getPropertyValue(CUSTOMIZERS) instanceof Collection<?> others) {
            List<Object> all = new ArrayList<>(others);
            all.add(customizer(factory.getWrappedClass(), change));
            factory.setPropertyValue(CUSTOMIZERS, all);
        }
    }

    private static Object customizer(Class<?> factory, UnaryOperator<Object> change) {
        Class<?> type = BeanUtils.findMethodWithMinimalParameters(factory, "addServerCustomizers").getParameterTypes()[0];
        try {
            MethodHandle apply = MethodHandles.publicLookup()
                    .findVirtual(UnaryOperator.class, "apply", MethodType.genericMethodType(1)).bindTo(change);
            return MethodHandleProxies.asInterfaceInstance(type.getComponentType(), apply);
        } catch (ReflectiveOperationException error) {
            throw new LinkageError(error.getMessage(), error);
        }
    }
}
