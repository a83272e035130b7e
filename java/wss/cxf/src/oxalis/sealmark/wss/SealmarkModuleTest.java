package sealmark.wss;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import com.google.inject.Guice;
import org.apache.cxf.Bus;
import org.apache.cxf.BusFactory;
import org.apache.wss4j.dom.engine.WSSConfig;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SealmarkModuleTest {
    private final Bus bus = BusFactory.newInstance().createBus();

    @BeforeEach
    void install() {
        SealmarkProvider.install();
        BusFactory.setThreadDefaultBus(bus);
        assertNull(armed());
    }

    @AfterEach
    void uninstall() {
        BusFactory.setThreadDefaultBus(null);
        bus.shutdown(true);
        SealmarkProvider.uninstall();
    }

    @Test
    void theModuleArmsTheBusThatIsThere() {
        Guice.createInjector(new SealmarkModule());
        assertNotNull(armed());
    }

    @Test
    void aBusIsArmedByOneLine() {
        VerifyingProcessor.install(bus::setProperty);
        assertNotNull(armed());
    }

    private Object armed() {
        return bus.getProperty(WSSConfig.class.getName());
    }
}
