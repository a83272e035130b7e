package sealmark.lab.engine;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import sealmark.lab.engine.tls.BouncyCastleJsse;
import sealmark.lab.engine.tls.SunJsse;

/** Every library by its name; none is loaded before it is asked for, so that none is missed by the others. */
final class Libraries {
    private static final Map<String, Callable<Library>> ALL = all();

    private Libraries() {}

    static Set<String> names() {
        return ALL.keySet();
    }

    static Library load(String name) throws Exception {
        return ALL.get(name).call();
    }

    /** With lambdas, for a reference to a constructor would load its class, and with it the library, right here. */
    private static Map<String, Callable<Library>> all() {
        Map<String, Callable<Library>> all = new LinkedHashMap<>();
        all.put("SunJCE", () -> Ciphers.sun());
        all.put("BouncyCastle", () -> new BouncyCastle());
        all.put("ACCP", () -> Ciphers.corretto());
        all.put("Conscrypt", () -> Ciphers.conscrypt());
        all.put("sealmark-java", () -> SealmarkLog.overJni());
        all.put("sealmark-java-pure", () -> SealmarkLog.inPureJava());
        all.put("sealmark-wss", () -> SealmarkWss.overJni());
        all.put("sealmark-wss-pure", () -> SealmarkWss.inPureJava());
        all.put("Tink", () -> new Tink());
        all.put("SunJSSE", () -> new TlsLibrary(SunJsse.asConfigured()));
        all.put("BCJSSE", () -> new TlsLibrary(BouncyCastleJsse.make()));
        all.put("SunJSSE-legacy", () -> new TlsLibrary(SunJsse.legacy()));
        all.put("commons-codec", () -> new CommonsCodec());
        all.put("java.util.Base64", () -> new JavaBase64());
        all.put("native-jni", () -> new NativeLibrary());
        all.put("sun.misc", () -> new SunMisc());
        all.put("sun.misc-stand-in", () -> new SunMiscStandIn());
        return all;
    }
}
