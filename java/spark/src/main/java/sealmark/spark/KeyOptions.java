package sealmark.spark;

import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Stream;

/** Names of keys, as options of jobs and of the catalog give them: never keys themselves. */
final class KeyOptions {
    static final String IDENTITY = "identity";
    static final String CREDENTIAL = "credential";
    static final String PROVIDER = "key-provider";

    private KeyOptions() {}

    /** The provider that is named; null if none is. */
    static KeyProvider provider(Function<String, String> option) {
        List<String> named = Stream.of(IDENTITY, CREDENTIAL, PROVIDER).filter(name -> option.apply(name) != null).toList();
        if (named.size() > 1) {
            throw new IllegalArgumentException("keys come from one place, but there are several: " + String.join(", ", named)
                    + "\nhint: put all keys into one file");
        }
        if (named.isEmpty()) {
            return null;
        }
        String value = option.apply(named.get(0));
        return switch (named.get(0)) {
            case IDENTITY -> KeyProvider.file(value);
            case CREDENTIAL -> KeyProvider.credential(value);
            default -> made(value);
        };
    }

    /** Refuses a name that is a key: names are in plans, messages and logs. */
    static void requireName(String name) {
        if (name.toUpperCase(Locale.ROOT).contains("SECRET-KEY-")) {
            throw new IllegalArgumentException("a secret key was given in place of a name\nhint: name a file on each"
                    + " executor; make a new key, because settings and logs of Spark may contain this one");
        }
    }

    private static KeyProvider made(String name) {
        requireName(name);
        try {
            ClassLoader loader = Thread.currentThread().getContextClassLoader();
            return Class.forName(name, true, loader).asSubclass(KeyProvider.class).getConstructor().newInstance();
        } catch (ReflectiveOperationException | ClassCastException e) {
            throw new IllegalArgumentException("cannot make a key provider of \"" + name + "\"\nhint: name a class that"
                    + " implements sealmark.spark.KeyProvider and has a public constructor without parameters", e);
        }
    }
}
