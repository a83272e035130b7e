package sealmark.log;

import java.io.IOException;
import java.nio.file.Path;

/** Another application in the JVM, with its own classes of the library; {@link LibraryLoader} calls it. */
public final class OtherApplication {
    private OtherApplication() {}

    public static void install(String name, Path keyFile, Path sideFile, String engine) throws IOException {
        Sealers.install(name, LogSealer.builder()
                .preSharedKeyFile(keyFile)
                .sideFile(sideFile)
                .rotateAfterValues(50)
                .engine(LogSealer.Engine.valueOf(engine))
                .build());
    }

    public static String seal(String name, String value) {
        return Sealers.find(name).seal(Label.of("email"), value);
    }

    public static String engine(String name) {
        return Sealers.find(name).engine();
    }

    public static void remove(String name) {
        Sealers.remove(name);
    }
}
