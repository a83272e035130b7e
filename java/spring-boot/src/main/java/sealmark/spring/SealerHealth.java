package sealmark.spring;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import sealmark.log.LogSealer;
import sealmark.log.Sealers;

/** The state of the sealer, for Actuator. */
record SealerHealth(String status, Map<String, Object> details) {
    /**
     * The service answers requests whether or not its log can be read, so this never takes it out of service: UNKNOWN says that
     * somebody has to look.
     */
    static SealerHealth now() {
        LogSealer sealer = Sealers.find(Sealers.DEFAULT);
        long failed = SealedLog.failed();
        long withoutHeader = sealer.sessionsWithoutHeader();
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("engine", sealer.engine());
        details.put("sealed", SealedLog.sealed());
        details.put("unsealed", failed);
        if (sealer.lastFailure() != null) {
            details.put("lastFailure", sealer.lastFailure());
        }
        details.put("sessionsWithoutHeader", withoutHeader);
        List<String> faults = SealedLog.faults();
        if (!faults.isEmpty()) {
            details.put("faults", faults);
        }
        boolean isInOrder = Sealers.isInstalled(Sealers.DEFAULT) && failed == 0 && withoutHeader == 0 && faults.isEmpty();
        return new SealerHealth(isInOrder ? "UP" : "UNKNOWN", details);
    }
}
