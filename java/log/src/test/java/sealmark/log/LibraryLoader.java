package sealmark.log;

import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Arrays;

/** The library's classes once more, and {@link OtherApplication} that has them. */
final class LibraryLoader extends URLClassLoader {
    LibraryLoader() {
        super(new URL[] {placeOf(LogSealer.class), placeOf(OtherApplication.class)},
                ClassLoader.getPlatformClassLoader());
    }

    private static URL placeOf(Class<?> type) {
        return type.getProtectionDomain().getCodeSource().getLocation();
    }

    /** Calls a method of the application by its name. */
    String call(String method, Object... arguments) throws ReflectiveOperationException {
        Class<?> application = loadClass(OtherApplication.class.getName());
        Method called = Arrays.stream(application.getMethods())
                .filter(one -> one.getName().equals(method)).findFirst().orElseThrow();
        return (String) called.invoke(null, arguments);
    }
}
