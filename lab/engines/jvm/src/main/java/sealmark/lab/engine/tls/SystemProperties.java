package sealmark.lab.engine.tls;

import java.util.HashMap;
import java.util.Map;
import sealmark.lab.engine.Trouble;

/** System properties that a library reads once, when its classes are loaded: one process has one value of each. */
final class SystemProperties {
    private static final Map<String, String> SET = new HashMap<>();

    private SystemProperties() {}

    /** Sets a property, or finds it set to this value by an earlier job of this process. */
    static synchronized void set(String name, String value) throws Trouble {
        String before = SET.putIfAbsent(name, value);
        if (before != null && !before.equals(value)) {
            throw Trouble.failed("this process was told " + name + "=" + before + " before, which holds until it ends; "
                    + "hint: a process of its own for each line");
        }
        System.setProperty(name, value);
    }
}
