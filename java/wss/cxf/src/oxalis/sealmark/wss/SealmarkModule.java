package sealmark.wss;

import com.google.inject.AbstractModule;
import org.apache.cxf.BusFactory;

/** The module for Oxalis-AS4 that docs/wss.md shows: Oxalis has Guice and CXF 4. */
public final class SealmarkModule extends AbstractModule {
    static {
        // Oxalis sets jdk.security.provider.preferred later, when it has no effect any more.
        SealmarkProvider.install();
    }

    @Override
    protected void configure() {
        bind(Arming.class).asEagerSingleton();
    }

    /** Made when all modules are configured, so that the bus of Oxalis is there. */
    static final class Arming {
        Arming() {
            VerifyingProcessor.install(BusFactory.getThreadDefaultBus()::setProperty);
        }
    }
}
