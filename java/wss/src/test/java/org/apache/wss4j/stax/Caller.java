package org.apache.wss4j.stax;

import java.io.IOException;
import javax.security.auth.callback.Callback;
import javax.security.auth.callback.CallbackHandler;
import javax.security.auth.callback.UnsupportedCallbackException;

/** Calls a handler as the streaming engine of WSS4J does: from its package, and with no class of the DOM engine. */
public final class Caller {
    private Caller() {}

    /** Asks the handler. */
    public static void ask(CallbackHandler handler, Callback callback) throws IOException, UnsupportedCallbackException {
        handler.handle(new Callback[] {callback});
    }
}
