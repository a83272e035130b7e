package example;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.File;
import java.io.IOException;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.Wrapper;
import org.apache.catalina.startup.Tomcat;
import sealmark.tomcat.SealedAccessLogValve;

/** An embedded Tomcat that logs who asked for what, and leaves no value of a query in clear. */
public final class Main {
    private Main() {}

    /**
     * Serves until it is told to stop.
     *
     * @param arguments the folder that has {@code recipients.txt} and gets the log, and the port; 0 is any
     * @throws LifecycleException if the server does not start
     */
    public static void main(String[] arguments) throws LifecycleException {
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(new File(arguments[0]).getAbsolutePath());
        tomcat.setPort(Integer.parseInt(arguments[1]));
        tomcat.getConnector().setProperty("address", "127.0.0.1");
        Context context = tomcat.addContext("", null);
        Wrapper hello = Tomcat.addServlet(context, "hello", new Hello());
        hello.addMapping("/");
        tomcat.getHost().getPipeline().addValve(accessLog());
        tomcat.start();
        // Stopping ends the log with the number of its values: what somebody cuts off is missed.
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(tomcat)));
        System.out.println("http://127.0.0.1:" + tomcat.getConnector().getLocalPort() + "/");
        tomcat.getServer().await();
    }

    /** Everything but keys and what is sealed is as in Tomcat's own AccessLogValve. */
    private static SealedAccessLogValve accessLog() {
        SealedAccessLogValve log = new SealedAccessLogValve();
        log.set("recipientsFile", "recipients.txt");
        log.set("seal", "%a %{Authorization}i");
        log.setPattern("%a %t \"%r\" %s %b \"%{Referer}i\" \"%{User-Agent}i\" \"%{Authorization}i\"");
        log.setDirectory("logs");
        log.setPrefix("access");
        log.setSuffix(".log");
        log.setRotatable(false);
        return log;
    }

    private static void stop(Tomcat tomcat) {
        try {
            tomcat.stop();
        } catch (LifecycleException error) {
            System.err.println("the log may lack its end: " + error);
        }
    }

    private static final class Hello extends HttpServlet {
        private static final long serialVersionUID = 1;

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
            response.setContentType("text/plain");
            response.getWriter().println("hello");
        }
    }
}
