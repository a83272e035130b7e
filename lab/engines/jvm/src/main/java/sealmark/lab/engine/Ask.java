package sealmark.lab.engine;

import java.util.Map;

/** A message from the lab, read key by key; keys nobody reads are ignored. */
public final class Ask {
    private final Map<String, Object> message;

    public Ask(Map<String, Object> message) {
        this.message = message;
    }

    public String text(String key) throws Trouble {
        return value(key, String.class, "a string");
    }

    public long number(String key) throws Trouble {
        return value(key, Long.class, "an integer");
    }

    /** The value of a key that may be left out. */
    public String text(String key, String otherwise) throws Trouble {
        return message.containsKey(key) ? text(key) : otherwise;
    }

    /** The value of a key that may be left out. */
    public long number(String key, long otherwise) throws Trouble {
        return message.containsKey(key) ? number(key) : otherwise;
    }

    private <T> T value(String key, Class<T> type, String what) throws Trouble {
        Object value = message.get(key);
        if (!type.isInstance(value)) {
            throw Trouble.failed("the ask has no \"" + key + "\" that is " + what);
        }
        return type.cast(value);
    }
}
