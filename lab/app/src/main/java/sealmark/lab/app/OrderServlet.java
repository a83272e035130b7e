package sealmark.lab.app;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** A small one: reads its parameters, which are private, and answers with a little JSON. */
final class OrderServlet extends HttpServlet {
    private static final long serialVersionUID = 1;

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        String order = request.getPathInfo().substring(1);
        String email = request.getParameter("email");
        if (email == null || request.getParameter("name") == null || request.getParameter("card") == null) {
            response.sendError(HttpServletResponse.SC_BAD_REQUEST);
            return;
        }
        byte[] body = body(order, email.length()).getBytes(StandardCharsets.US_ASCII);
        response.setContentType("application/json");
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
    }

    /** The response to a request for an order (spec/engine.md, "log-app"). */
    static String body(Object order, int contact) {
        return "{\"order\":" + order + ",\"contact\":" + contact + ",\"state\":\"shipped\"}\n";
    }
}
