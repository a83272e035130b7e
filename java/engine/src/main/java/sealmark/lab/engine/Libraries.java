package sealmark.lab.engine;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;

/** Every library by its name; none is loaded before it is asked for, so that none is missed by the others. */
final class Libraries {
    private static final Map<String, Callable<Library>> ALL = all();

    private Libraries() {}

    static Set<String> names() {
        return ALL.keySet();
    }

    static Library load(String name) throws Exception {
        try {
            return ALL.get(name).call();
        } catch (ClassNotFoundException | NoClassDefFoundError error) {
            throw Trouble.unsupported(name + " is not on the class path: " + error.getMessage());
        } catch (LinkageError error) {
            throw Trouble.unsupported(name + " cannot be loaded here: " + error.getMessage());
        }
    }

    private static Map<String, Callable<Library>> all() {
        Map<String, Callable<Library>> all = new LinkedHashMap<>();
        all.put("SunJCE", Ciphers::sun);
        all.put("BouncyCastle", BouncyCastle::new);
        all.put("ACCP", Ciphers::corretto);
        all.put("Conscrypt", Ciphers::conscrypt);
        all.put("commons-codec", CommonsCodec::new);
        all.put("java.util.Base64", JavaBase64::new);
        all.put("native-jni", NativeLibrary::new);
        all.put("sun.misc", SunMisc::new);
        all.put("sun.misc-stand-in", SunMiscStandIn::new);
        return all;
    }
}
