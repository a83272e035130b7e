package sealmark.tomcat;

import java.util.function.Supplier;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;

/** Answers with an attribute. */
final class NoteSetter extends ValveBase {
    private final Supplier<String> note;

    NoteSetter(Supplier<String> note) {
        super(true);
        this.note = note;
    }

    @Override
    public void invoke(Request request, Response response) {
        request.setAttribute("note", note.get());
    }
}
