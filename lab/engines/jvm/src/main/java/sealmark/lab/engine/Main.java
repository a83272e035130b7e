package sealmark.lab.engine;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** The program: {@code java -jar engine.jar PROVIDER} speaks spec/engine.md on its standard input and output. */
public final class Main {
    private Main() {}

    /** Answers asks until standard input ends. */
    public static void main(String[] arguments) throws IOException {
        if (arguments.length != 1 || !Libraries.names().contains(arguments[0])) {
            System.err.println("error: which provider?\nhint: one of " + String.join(", ", Libraries.names()));
            System.exit(2);
        }
        PrintStream wire = System.out;
        // A library that greets the world on standard output must not break into the conversation.
        System.setOut(System.err);
        converse(new Conversation(arguments[0]), new BufferedInputStream(System.in), wire);
    }

    static void converse(Conversation conversation, InputStream asks, PrintStream wire) throws IOException {
        for (byte[] ask = Line.next(asks); ask != null; ask = Line.next(asks)) {
            String answer = Line.write(conversation.answer(ask)) + "\n";
            wire.write(answer.getBytes(StandardCharsets.UTF_8));
            wire.flush();
        }
    }
}
