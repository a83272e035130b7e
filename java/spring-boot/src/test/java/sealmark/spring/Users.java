package sealmark.spring;

import jakarta.servlet.ServletException;
import java.io.IOException;
import java.security.Principal;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.apache.catalina.Valve;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;
import org.springframework.beans.BeanWrapper;

/** Each request to an embedded Tomcat has the user that its header {@code X-User} names, as if it had logged in. */
final class Users extends EmbeddedAccessLog {
    /** A property of an application that has them. */
    static final String ON_TOMCAT = "spring.main.sources=" + Users.class.getName();

    Users() {
        super("Tomcat");
    }

    @Override
    void replace(BeanWrapper factory) {
        if (factory.isReadableProperty("engineValves")) {
            List<Valve> valves = new ArrayList<>();
            valves.add(new LoggingIn());
            for (Object valve : (Collection<?>) factory.getPropertyValue("engineValves")) {
                valves.add((Valve) valve);
            }
            factory.setPropertyValue("engineValves", valves);
        }
    }

    private record User(String name) implements Principal {
        @Override
        public String getName() {
            return name;
        }
    }

    private static final class LoggingIn extends ValveBase {
        LoggingIn() {
            super(true);
        }

        @Override
        public void invoke(Request request, Response response) throws IOException, ServletException {
            request.setUserPrincipal(new User(request.getHeader("X-User")));
            getNext().invoke(request, response);
        }
    }
}
