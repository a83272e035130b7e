package sealmark.tomcat;

import java.io.IOException;
import org.apache.catalina.AccessLog;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;

/** Answers as a proxy in front would have it: a host whose name is no ASCII. */
final class HostSetter extends ValveBase {
    HostSetter() {
        super(true);
    }

    @Override
    public void invoke(Request request, Response response) throws IOException {
        request.setAttribute(AccessLog.REMOTE_HOST_ATTRIBUTE, "m\u00fcnchen.example");
    }
}
