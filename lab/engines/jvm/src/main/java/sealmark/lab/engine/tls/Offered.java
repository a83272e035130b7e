package sealmark.lab.engine.tls;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLException;
import sealmark.lab.engine.Trouble;

/** A ClientHello that is made to be looked at and never sent: what this library offers on this JVM, told as it is. */
final class Offered {
    private static final int BEFORE_SESSION = 5 + 4 + 2 + 32;
    private static final int SUPPORTED_GROUPS = 10;

    /** Two suites that are none: renegotiation is safe (RFC 5746), this is a second try (RFC 7507). */
    private static final List<Integer> SIGNALS = Arrays.asList(0x00FF, 0x5600);

    private final List<Integer> suites = new ArrayList<>();
    private final List<Integer> groups = new ArrayList<>();

    Offered(Client client) throws Exception {
        SSLEngine engine = client.engine();
        read(hello(engine));
    }

    /** Fails where more is offered than was asked for, and says that what is not offered is not supported. */
    void mustBe(Terms terms, List<String> names, boolean suiteIsChosen) throws Trouble {
        if (suiteIsChosen && suites.size() != 1) {
            throw Trouble.failed("the client offers " + suites.size() + " suites instead of " + terms.suite);
        }
        if (!terms.hasNamedGroup() || terms.isFiniteField()) {
            return;
        }
        int wanted = Group.of(terms.group).number;
        if (!groups.contains(wanted)) {
            throw Trouble.unsupported("this library offers no " + terms.group + " for " + terms.protocol);
        }
        if (groups.get(0) != wanted || groups.size() != names.size()) {
            throw Trouble.failed("the client offers " + groups.size() + " groups instead of " + names);
        }
    }

    private static ByteBuffer hello(SSLEngine engine) throws Trouble {
        ByteBuffer wire = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
        try {
            engine.beginHandshake();
            while (wire.position() == 0 && engine.getHandshakeStatus() == SSLEngineResult.HandshakeStatus.NEED_WRAP) {
                engine.wrap(ByteBuffer.allocate(0), wire);
            }
        } catch (SSLException | RuntimeException error) {
            throw unsupported(error);
        }
        wire.flip();
        return wire;
    }

    static Trouble unsupported(Throwable error) {
        return Trouble.unsupported("this library makes no such offer: " + error.getMessage());
    }

    private void read(ByteBuffer hello) {
        hello.position(BEFORE_SESSION);
        skip(hello, hello.get());
        numbers(hello, suites);
        suites.removeAll(SIGNALS);
        skip(hello, hello.get());
        if (hello.hasRemaining()) {
            hello.getShort();
        }
        while (hello.remaining() >= 4) {
            int type = hello.getShort();
            int end = hello.position() + 2 + hello.getShort(hello.position());
            if (type == SUPPORTED_GROUPS) {
                hello.getShort();
                numbers(hello, groups);
            }
            hello.position(end);
        }
    }

    private static void numbers(ByteBuffer hello, List<Integer> numbers) {
        for (int left = hello.getShort() / 2; left > 0; left--) {
            numbers.add(hello.getShort() & 0xFFFF);
        }
    }

    private static void skip(ByteBuffer hello, int count) {
        hello.position(hello.position() + count);
    }
}
