package sealmark.lab.app;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import org.apache.catalina.util.ServerInfo;

/** Gives one answer to each ask; bad news is an answer too, and the next ask is as welcome as the first. */
final class Conversation implements AutoCloseable {
    private static final long PROTOCOL = 3;

    /** Each connection has a thread at both ends. */
    private static final long MOST_CONNECTIONS = 100;

    private final Log log;
    private App app;

    Conversation(Log log) {
        this.log = log;
    }

    /** The answer to a line, as a line without its line feed. */
    String answer(String line) {
        try {
            JsonObject ask = JsonParser.parseString(line).getAsJsonObject();
            return answer(ask, text(ask, "ask")).toString();
        } catch (Throwable error) {
            Trouble trouble = Trouble.of(error);
            JsonObject answer = message(trouble.answer);
            answer.addProperty("why", trouble.getMessage());
            return answer.toString();
        }
    }

    /** Tomcat, its clients and all of their threads end. */
    @Override
    public void close() {
        if (app != null) {
            app.close();
            app = null;
        }
    }

    private JsonObject answer(JsonObject ask, String name) throws Exception {
        return switch (name) {
            case "hello" -> hello(ask);
            case "prepare" -> prepare(ask);
            case "time" -> time(ask);
            default -> throw Trouble.unsupported("this engine does not answer \"" + name + "\"");
        };
    }

    private JsonObject hello(JsonObject ask) throws Trouble {
        if (number(ask, "protocol") != PROTOCOL) {
            throw Trouble.unsupported("this engine speaks protocol " + PROTOCOL);
        }
        JsonObject answer = message("hello");
        answer.addProperty("protocol", PROTOCOL);
        answer.addProperty("engine", log.engine());
        String java = System.getProperty("java.version") + ", " + Meter.runtime();
        answer.addProperty("version", ServerInfo.getServerInfo() + ", Java " + java);
        return answer;
    }

    private JsonObject prepare(JsonObject ask) throws Exception {
        close();
        mustBe("log-app", text(ask, "job"), "job");
        mustBe(log.algorithm, text(ask, "algorithm"), "algorithm");
        long connections = number(ask, "concurrency");
        if (connections < 1 || connections > MOST_CONNECTIONS) {
            throw Trouble.limited("this engine opens 1 to " + MOST_CONNECTIONS + " connections");
        }
        app = new App(log, text(ask, "directory"), number(ask, "seed"), (int) connections);
        JsonObject answer = message("ready");
        answer.addProperty("authenticated", log.algorithm.equals("token"));
        answer.addProperty("code", app.code() + ", " + System.getProperty("java.vm.name") + " "
                + System.getProperty("java.vm.version"));
        return answer;
    }

    private JsonObject time(JsonObject ask) throws Exception {
        if (app == null) {
            throw Trouble.failed("nothing is prepared");
        }
        mustBe("serve", text(ask, "operation"), "operation");
        Span span = app.serve(number(ask, "first"), number(ask, "count"));
        JsonObject answer = message("served");
        span.report(answer);
        return answer;
    }

    private static void mustBe(String known, String asked, String what) throws Trouble {
        if (!known.equals(asked)) {
            throw Trouble.unsupported("this engine knows no " + what + " \"" + asked + "\"");
        }
    }

    private static JsonObject message(String name) {
        JsonObject answer = new JsonObject();
        answer.addProperty("answer", name);
        return answer;
    }

    private static String text(JsonObject ask, String key) throws Trouble {
        return value(ask, key).getAsString();
    }

    private static long number(JsonObject ask, String key) throws Trouble {
        return value(ask, key).getAsLong();
    }

    private static JsonElement value(JsonObject ask, String key) throws Trouble {
        JsonElement value = ask.get(key);
        if (value == null) {
            throw Trouble.failed("the ask has no \"" + key + "\"");
        }
        return value;
    }
}
