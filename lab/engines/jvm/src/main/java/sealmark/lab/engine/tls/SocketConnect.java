package sealmark.lab.engine.tls;

import java.io.InputStream;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLSocket;
import sealmark.lab.engine.Trouble;

/** Job {@code tls-connect} over sockets: so many client threads connect, as many server threads accept. */
final class SocketConnect extends SocketWork {
    /** The most connections that {@code each_ns} lists. */
    private static final int TOLD = 1000;

    private final List<Client> callers = new ArrayList<>();

    SocketConnect(Ends ends) throws Exception {
        super(ends);
        for (int number = 0; number < ends.job.concurrency; number++) {
            callers.add(ends.client());
        }
        startThreads();
    }

    @Override
    void timeWith(boolean resumes, long first, long count, Span span) throws Exception {
        if (resumes) {
            // Every client needs a session, and its first connection is the one that gets it.
            new Round(true, 0, callers.size(), 1).run(null);
        } else {
            callers.forEach(Client::forget);
        }
        Round round = new Round(resumes, first, count, Long.MAX_VALUE);
        round.run(span);
        for (Tally tally : round.tallies) {
            span.tally.add(tally);
        }
        span.received(new byte[] {round.last}, 1);
        if (ends.job.concurrency == 1) {
            span.each(round.each());
        }
    }

    /** So many connections, in whatever order the threads get to them. */
    private final class Round {
        private final boolean resumes;
        private final long first;
        private final long count;
        private final long mostForOne;
        private final AtomicLong called = new AtomicLong();
        private final AtomicLong accepted = new AtomicLong();
        private final ConcurrentLinkedQueue<Client> idle = new ConcurrentLinkedQueue<>(callers);
        private final ConcurrentLinkedQueue<Tally> tallies = new ConcurrentLinkedQueue<>();
        private final long[] nanoseconds;
        private volatile byte last;

        Round(boolean resumes, long first, long count, long mostForOne) {
            this.resumes = resumes;
            this.first = first;
            this.count = count;
            this.mostForOne = mostForOne;
            this.nanoseconds = new long[(int) Math.min(count, TOLD)];
        }

        void run(Span span) throws Exception {
            together(this::call, this::answer, span);
        }

        private Void call() throws Exception {
            Client client = idle.remove();
            Tally tally = new Tally();
            tallies.add(tally);
            for (long done = 0; done < mostForOne && !hasFailed(); done++) {
                long turn = called.getAndIncrement();
                if (turn >= count) {
                    break;
                }
                long began = System.nanoTime();
                once(client, (byte) (first + turn), tally, turn == count - 1);
                if (turn < nanoseconds.length) {
                    nanoseconds[(int) turn] = System.nanoTime() - began;
                }
            }
            return null;
        }

        private void once(Client client, byte value, Tally tally, boolean isLast) throws Exception {
            try (Socket plain = sockets.connect(listener().getLocalPort(), client.said);
                    SSLSocket socket = client.socket(plain)) {
                socket.startHandshake();
                socket.getOutputStream().write(value);
                InputStream in = socket.getInputStream();
                int answer = in.read();
                if (answer != (value & 0xFF)) {
                    throw Trouble.failed("sent the byte " + (value & 0xFF) + " and read " + answer);
                }
                client.note(socket.getSession(), tally);
                if (isLast) {
                    last = (byte) answer;
                }
                Sockets.closeLast(socket, in);
            }
            if (!resumes) {
                client.forget();
            }
        }

        private Void answer() throws Exception {
            while (accepted.getAndIncrement() < count && !hasFailed()) {
                Socket socket = sockets.accept(listener());
                if (ends.job.peer == Peer.WORKS) {
                    answer((SSLSocket) socket);
                } else {
                    Faults.serve(ends.job.peer, socket);
                }
            }
            return null;
        }

        private void answer(SSLSocket accepted) throws Exception {
            try (SSLSocket socket = accepted) {
                ends.library.restrict(socket, ends.job);
                socket.getOutputStream().write(socket.getInputStream().read());
            }
        }

        String each() {
            StringJoiner each = new StringJoiner(" ");
            for (long one : nanoseconds) {
                each.add(Long.toString(one));
            }
            return each.toString();
        }
    }
}
