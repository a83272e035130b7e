package sealmark.lab.engine.tls;

import java.nio.file.Path;
import java.nio.file.Paths;
import sealmark.lab.engine.Ask;
import sealmark.lab.engine.Job;
import sealmark.lab.engine.Recipe;
import sealmark.lab.engine.Trouble;

/** The job that {@code prepare} asks for, if it is one of TLS. */
public final class TlsJob {
    private static final String CONNECT = "tls-connect";
    private static final String TRANSFER = "tls-transfer";
    private static final int MOST_CONCURRENT = 1024;

    /** The connection between client and server. */
    enum Transport { MEMORY, NODELAY, DEFAULT_SOCKETS }

    final boolean transfers;
    final Terms terms;
    final Transport transport;
    final int bytes;
    final Recipe recipe;
    final Path directory;
    final int concurrency;
    final Peer peer;

    /** Reads the keys of spec/engine.md, "TLS". */
    public TlsJob(Ask prepare) throws Trouble {
        transfers = prepare.text("job").equals(TRANSFER);
        terms = new Terms(
                prepare.text("protocol"), prepare.text("suite"), prepare.text("group"), prepare.text("certificate"));
        transport = transport(prepare.text("transport"));
        bytes = transfers ? length(prepare.number("bytes")) : 1;
        recipe = new Recipe(prepare.number("seed"));
        directory = Paths.get(prepare.text("directory"));
        concurrency = concurrency(prepare.number("concurrency", 1));
        peer = Peer.named(prepare.text("peer", "works"));
    }

    /** Returns whether a job is one of TLS. */
    public static boolean isOne(String kind) {
        return kind.equals(CONNECT) || kind.equals(TRANSFER);
    }

    boolean hasSockets() {
        return transport != Transport.MEMORY;
    }

    private static Transport transport(String name) throws Trouble {
        switch (name) {
            case "memory":
                return Transport.MEMORY;
            case "nodelay":
                return Transport.NODELAY;
            case "default-sockets":
                return Transport.DEFAULT_SOCKETS;
            default:
                throw Trouble.unsupported("no job of TLS has a transport \"" + name + "\"");
        }
    }

    private static int length(long bytes) throws Trouble {
        if (bytes < 1 || bytes > Job.LONGEST_ARRAY - Span.SLACK) {
            throw Trouble.limited("a transfer is of 1 to " + (Job.LONGEST_ARRAY - Span.SLACK) + " bytes");
        }
        return (int) bytes;
    }

    private int concurrency(long wanted) throws Trouble {
        if (wanted < 1 || wanted > MOST_CONCURRENT || wanted > 1 && (transfers || !hasSockets())) {
            throw Trouble.unsupported("no concurrency of " + wanted + " for this job and transport");
        }
        return (int) wanted;
    }
}
