package sealmark.tomcat;

import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;

/** Answers with an attribute that is too long for one token, or for three of them. */
final class NoteSetter extends ValveBase {
    NoteSetter() {
        super(true);
    }

    @Override
    public void invoke(Request request, Response response) {
        request.setAttribute("note", "n".repeat((1 << 20) + 10));
    }
}
