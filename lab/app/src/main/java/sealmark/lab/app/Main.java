package sealmark.lab.app;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** The program: {@code java -jar app.jar LOG} speaks spec/engine.md on its standard input and output. */
public final class Main {
    private Main() {}

    /** Answers asks until standard input ends; what it started ends with it. */
    public static void main(String[] arguments) throws IOException {
        Log log = arguments.length == 1 ? Log.named(arguments[0]) : null;
        if (log == null) {
            System.err.println("error: which access log?\nhint: one of " + Log.names());
            System.exit(2);
        }
        PrintStream wire = System.out;
        // The conversation owns standard output, so that whatever a library prints there goes to standard error.
        System.setOut(System.err);
        try (Conversation conversation = new Conversation(log)) {
            converse(conversation, wire);
        }
        System.exit(0);
    }

    private static void converse(Conversation conversation, PrintStream wire) throws IOException {
        BufferedReader asks = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String ask = asks.readLine(); ask != null; ask = asks.readLine()) {
            wire.write((conversation.answer(ask) + "\n").getBytes(StandardCharsets.UTF_8));
            wire.flush();
        }
    }
}
