package sealmark.lab.engine;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.security.MessageDigest;
import java.util.LinkedHashMap;
import java.util.Map;
import sealmark.lab.engine.tls.TlsJob;
import sealmark.lab.engine.tls.TlsWork;

/** Gives one answer to each ask; bad news is an answer too, and the next ask is as welcome as the first. */
final class Conversation {
    private static final long PROTOCOL = 3;

    private final String engine;
    private Library library;
    private Job job;
    private Work work;
    private Payload payload;
    private Records records;
    private TlsWork tls;

    Conversation(String engine) {
        this.engine = engine;
    }

    Map<String, Object> answer(byte[] line) {
        try {
            Ask ask = new Ask(Line.read(line));
            return answer(ask, ask.text("ask"));
        } catch (Line.Malformed error) {
            return badNews(Trouble.failed("the lab sent " + error.getMessage()));
        } catch (Throwable error) {
            return badNews(Trouble.of(error, false));
        }
    }

    private static Map<String, Object> badNews(Trouble trouble) {
        return message("answer", trouble.kind.answer(), "why", trouble.getMessage());
    }

    private Map<String, Object> answer(Ask ask, String name) throws Exception {
        switch (name) {
            case "hello":
                return hello(ask);
            case "prepare":
                return prepare(ask);
            case "check":
                return check(ask);
            case "time":
                return time(ask);
            case "run":
                return run(ask);
            default:
                throw Trouble.unsupported("this engine does not answer \"" + name + "\"");
        }
    }

    private Map<String, Object> hello(Ask ask) throws Exception {
        if (ask.number("protocol") != PROTOCOL) {
            throw Trouble.unsupported("this engine speaks protocol " + PROTOCOL);
        }
        String java = System.getProperty("java.version") + ", " + Management.runtime();
        String version = library().version() + ", Java " + java;
        return message("answer", "hello", "protocol", PROTOCOL, "engine", engine, "version", version);
    }

    private Map<String, Object> prepare(Ask ask) throws Exception {
        work = null;
        payload = null;
        forgetThreads();
        if (TlsJob.isOne(ask.text("job"))) {
            tls = library().tls().prepare(new TlsJob(ask));
            return ready(true, tls.code());
        }
        if (ask.text("job").equals("payload")) {
            payload = library().prepare(new PayloadJob(ask));
            return ready(true, payload.code);
        }
        if (ask.text("job").equals("record")) {
            RecordJob job = new RecordJob(ask);
            records = new Records(job, library().prepare(job));
            return ready(records.way.authenticated, records.way.code);
        }
        job = new Job(ask);
        work = job.kind.equals("empty") ? EmptyLoop.prepare(job) : library().prepare(job);
        return ready(work.authenticated, work.code);
    }

    /** They end with the work they are for. */
    private void forgetThreads() {
        if (tls != null) {
            tls.close();
            tls = null;
        }
        if (records != null) {
            records.close();
            records = null;
        }
    }

    private static Map<String, Object> ready(boolean authenticated, String code) {
        return message("answer", "ready", "authenticated", authenticated, "code", code + ", " + virtualMachine());
    }

    private Map<String, Object> check(Ask ask) throws Exception {
        String name = ask.text("operation");
        Operation operation = operation(name);
        byte[] input = Files.readAllBytes(Paths.get(ask.text("input")));
        once(operation, input, ask.number("number"));
        return message("answer", "checked", "bytes", (long) operation.length, "sha256", digest(operation));
    }

    private Map<String, Object> time(Ask ask) throws Exception {
        if (tls != null) {
            return tls.time(ask.text("operation"), ask.number("first"), ask.number("count"));
        }
        if (records != null) {
            return timeRecords(ask.text("operation"), ask.number("count"));
        }
        Operation operation = operation(ask.text("operation"));
        long first = ask.number("first");
        long count = ask.number("count");
        byte[] input = input(operation, first);
        Meter meter = new Meter();
        guard(operation, () -> {
            operation.begin(input, first);
            meter.start();
            if (operation == work.back) {
                operation.back(first, count);
            } else {
                operation.forward(first, count);
            }
            meter.stop();
            operation.end();
        });
        Map<String, Object> answer = message("answer", "timed", "count", count, "sha256", digest(operation));
        meter.report(answer);
        return answer;
    }

    private Map<String, Object> timeRecords(String operation, long count) throws Exception {
        boolean opens = Records.opens(operation);
        Map<String, Object> measured = new LinkedHashMap<>();
        try {
            byte[] value = records.time(operation, count, new Meter(), measured);
            Map<String, Object> answer =
                    message("answer", "timed", "count", count, "sha256", digest(value, value.length));
            answer.putAll(measured);
            return answer;
        } catch (Exception error) {
            throw Trouble.of(error, opens);
        }
    }

    private Map<String, Object> runRecords(String operation, Path input, Path output) throws Exception {
        boolean opens = Records.opens(operation);
        Meter meter = new Meter();
        try {
            meter.start();
            records.run(operation, input, output);
            meter.stop();
        } catch (Exception error) {
            throw Trouble.of(error, opens);
        }
        Map<String, Object> answer = message("answer", "done");
        meter.report(answer);
        // This figure belongs to the thread that waited for the others.
        answer.remove("allocated_bytes");
        return answer;
    }

    private Map<String, Object> run(Ask ask) throws Exception {
        if (records != null) {
            return runRecords(ask.text("operation"), Paths.get(ask.text("input")), Paths.get(ask.text("output")));
        }
        boolean opens = opens(ask.text("operation"));
        Path input = Paths.get(ask.text("input"));
        Path output = Paths.get(ask.text("output"));
        Meter meter = new Meter();
        try {
            meter.start();
            if (opens) {
                payload.open(input, output);
            } else {
                payload.seal(input, output);
            }
            meter.stop();
        } catch (Throwable error) {
            throw Payload.trouble(error, opens, input);
        }
        Map<String, Object> answer = message("answer", "done");
        meter.report(answer);
        return answer;
    }

    private boolean opens(String operation) throws Trouble {
        if (payload == null) {
            throw Trouble.failed("no payload is prepared");
        }
        if (!operation.equals("seal") && !operation.equals("open")) {
            throw Trouble.unsupported("job \"payload\" has no operation \"" + operation + "\"");
        }
        return operation.equals("open");
    }

    /** The job's input, or what the way forward makes of it where the way back is to be timed. */
    private byte[] input(Operation operation, long first) throws Exception {
        byte[] input = job.recipe.input(job.bytes);
        if (operation != work.back) {
            return input;
        }
        once(work.forward, input, first);
        return work.forward.result();
    }

    private void once(Operation operation, byte[] input, long number) throws Exception {
        guard(operation, () -> {
            operation.begin(input, number);
            operation.once(number);
            operation.end();
        });
    }

    private void guard(Operation operation, Step step) throws Trouble {
        try {
            step.run();
        } catch (Throwable error) {
            operation.recover();
            throw Trouble.of(error, operation == work.back);
        }
    }

    private Operation operation(String name) throws Trouble {
        if (work == null) {
            throw Trouble.failed("nothing is prepared");
        }
        if (name.equals(forward(job.kind))) {
            return work.forward;
        }
        if (name.equals(back(job.kind))) {
            return work.back;
        }
        throw Trouble.unsupported("job \"" + job.kind + "\" has no operation \"" + name + "\"");
    }

    private static String forward(String kind) {
        return kind.equals("cipher") ? "seal" : kind.equals("codec") ? "encode" : "loop";
    }

    private static String back(String kind) {
        return kind.equals("cipher") ? "open" : kind.equals("codec") ? "decode" : "";
    }

    private Library library() throws Exception {
        if (library == null) {
            library = Libraries.load(engine);
        }
        return library;
    }

    private static String digest(Operation operation) throws Exception {
        return digest(operation.output, operation.length);
    }

    private static String digest(byte[] output, int length) throws Exception {
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        digest.update(output, 0, length);
        StringBuilder text = new StringBuilder();
        for (byte octet : digest.digest()) {
            text.append(String.format("%02x", octet));
        }
        return text.toString();
    }

    private static String virtualMachine() {
        return System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version");
    }

    private static Map<String, Object> message(Object... keysAndValues) {
        Map<String, Object> message = new LinkedHashMap<>();
        for (int at = 0; at < keysAndValues.length; at += 2) {
            message.put((String) keysAndValues[at], keysAndValues[at + 1]);
        }
        return message;
    }

    private interface Step {
        void run() throws Exception;
    }
}
