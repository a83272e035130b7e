package sealmark.spring;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.binder.MeterBinder;
import org.apache.catalina.valves.AccessLogValve;
import org.eclipse.jetty.server.CustomRequestLog;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import reactor.netty.http.server.logging.AccessLogFactory;
import sealmark.log.LogSealer;
import sealmark.log.Sealers;

/** The beans of an application whose logs are sealed: the sealer, its health and its meters. */
@AutoConfiguration
@ConditionalOnProperty(prefix = "sealmark", name = "enabled", matchIfMissing = true)
@EnableConfigurationProperties(SealmarkProperties.class)
public class SealmarkAutoConfiguration {
    /** Spring makes one. */
    public SealmarkAutoConfiguration() {}

    /**
     * The sealer of the logs, for values that the application seals itself.
     *
     * @return it lives as long as the logs, which is longer than the context
     */
    @Bean(destroyMethod = "")
    @ConditionalOnMissingBean
    public LogSealer logSealer() {
        return Sealers.find(Sealers.DEFAULT);
    }

    /** An embedded Tomcat, also that of {@code management.server.port}, whose context has no other bean of these. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnProperty(prefix = "sealmark", name = "enabled", matchIfMissing = true)
    @ConditionalOnClass(AccessLogValve.class)
    static class TomcatConfiguration {
        @Bean
        static TomcatAccessLog sealedTomcatAccessLog() {
            return new TomcatAccessLog();
        }
    }

    /** An embedded Jetty, in the same places. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnProperty(prefix = "sealmark", name = "enabled", matchIfMissing = true)
    @ConditionalOnClass(CustomRequestLog.class)
    static class JettyConfiguration {
        @Bean
        static JettyAccessLog sealedJettyAccessLog() {
            return new JettyAccessLog();
        }
    }

    /** An embedded Reactor Netty, in the same places. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnProperty(prefix = "sealmark", name = "enabled", matchIfMissing = true)
    @ConditionalOnClass(AccessLogFactory.class)
    static class NettyConfiguration {
        @Bean
        static NettyAccessLog sealedNettyAccessLog() {
            return new NettyAccessLog();
        }
    }

    /** Actuator in Spring Boot 3. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(HealthIndicator.class)
    static class HealthConfiguration {
        @Bean
        HealthIndicator sealmarkHealthIndicator() {
            return () -> {
                SealerHealth health = SealerHealth.now();
                return org.springframework.boot.actuate.health.Health.status(health.status())
                        .withDetails(health.details()).build();
            };
        }
    }

    /** Actuator in Spring Boot 4. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(org.springframework.boot.health.contributor.HealthIndicator.class)
    static class Health4Configuration {
        @Bean
        org.springframework.boot.health.contributor.HealthIndicator sealmarkHealthIndicator() {
            return () -> {
                SealerHealth health = SealerHealth.now();
                return org.springframework.boot.health.contributor.Health.status(health.status())
                        .withDetails(health.details()).build();
            };
        }
    }

    /** Micrometer. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(MeterBinder.class)
    static class MeterConfiguration {
        @Bean
        MeterBinder sealmarkMeters() {
            return registry -> {
                FunctionCounter.builder("sealmark.values.sealed", SealedLog.class, none -> SealedLog.sealed())
                        .description("values that were replaced with a token").register(registry);
                FunctionCounter.builder("sealmark.values.unsealed", SealedLog.class, none -> SealedLog.failed())
                        .description("values that were replaced with a marker, because they could not be sealed")
                        .register(registry);
                Gauge.builder("sealmark.sessions.without.header", () -> Sealers.find(Sealers.DEFAULT).sessionsWithoutHeader())
                        .description("sessions whose header was not written to any log in time").register(registry);
            };
        }
    }
}
