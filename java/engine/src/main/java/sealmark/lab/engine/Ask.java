package sealmark.lab.engine;

import java.util.Map;

/** A message from the lab, read key by key; keys nobody reads are ignored. */
final class Ask {
    private final Map<String, Object> message;

    Ask(Map<String, Object> message) {
        this.message = message;
    }

    String text(String key) throws Trouble {
        return value(key, String.class, "a string");
    }

    long number(String key) throws Trouble {
        return value(key, Long.class, "an integer");
    }

    private <T> T value(String key, Class<T> type, String what) throws Trouble {
        Object value = message.get(key);
        if (!type.isInstance(value)) {
            throw Trouble.failed("the ask has no \"" + key + "\" that is " + what);
        }
        return type.cast(value);
    }
}
