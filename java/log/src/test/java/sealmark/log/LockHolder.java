package sealmark.log;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.List;

/** Somebody else who has locked a file: another process, or another part of this one. */
interface LockHolder extends AutoCloseable {
    void giveBack() throws IOException;

    @Override
    default void close() throws IOException {
        giveBack();
    }

    static LockHolder inThisProcess(Path file) throws IOException {
        FileChannel channel = FileChannel.open(file, CREATE, WRITE);
        channel.lock();
        return channel::close;
    }

    /** Once it has the lock. */
    static LockHolder elsewhere(Path file) throws IOException {
        Process process = new ProcessBuilder(List.of(ProcessHandle.current().info().command().orElseThrow(),
                "-cp", System.getProperty("java.class.path"), Holding.class.getName(), file.toString()))
                .redirectError(ProcessBuilder.Redirect.INHERIT).start();
        if (process.getInputStream().read() != '!') {
            throw new IOException("no lock of " + file);
        }
        return () -> process.getOutputStream().close();
    }

    /** Until its input ends. */
    final class Holding {
        private Holding() {}

        public static void main(String[] arguments) throws IOException {
            try (FileChannel channel = FileChannel.open(Path.of(arguments[0]), CREATE, WRITE)) {
                channel.lock();
                System.out.print('!');
                System.out.flush();
                while (System.in.read() >= 0) {}
            }
        }
    }
}
