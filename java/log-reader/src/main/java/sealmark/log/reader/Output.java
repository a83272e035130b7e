package sealmark.log.reader;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;

/** The result: standard output, or a file that gets its name when it is complete. */
final class Output implements AutoCloseable {
    static final Path STANDARD = Path.of("/proc/self/fd/1");

    private final Path target;
    private final Path unfinished;
    private final boolean replaces;
    private final OutputStream stream;

    private Output(Path target, Path unfinished, boolean replaces, OutputStream stream) {
        this.target = target;
        this.unfinished = unfinished;
        this.replaces = replaces;
        this.stream = stream;
    }

    /** Standard output. {@link System#out} would hide errors. */
    static OutputStream standard() {
        return new FileOutputStream(FileDescriptor.out);
    }

    /**
     * Opens the output that {@code -o} names.
     *
     * @param name null or {@code -} for standard output
     * @param inputs none of which it is
     */
    static Output open(String name, boolean replaces, List<LogFile> inputs) throws IOException {
        if (name == null || name.equals("-")) {
            refuseInputs(STANDARD, inputs);
            return new Output(null, null, false, new Told(standard(), "standard output"));
        }
        Path target = Arguments.path(name);
        refuseInputs(target, inputs);
        if (Files.isDirectory(target)) {
            throw Fault.usage(Say.quoted(target) + " is a directory, not a file to write", "name a file with -o");
        }
        if (!replaces && Files.exists(target, LinkOption.NOFOLLOW_LINKS)) {
            throw exists(target);
        }
        Path folder = folderOf(target);
        try {
            Path unfinished = Files.createTempFile(folder, ".sealmark", null);
            return new Output(target, unfinished, replaces, new Told(Files.newOutputStream(unfinished), Say.quoted(target)));
        } catch (IOException error) {
            throw Fault.of(error).about(Say.quoted(target));
        }
    }

    /** Writes a new file that only its owner can read; an existing one is never replaced. */
    static void writePrivate(Path target, byte[] text, Fault exists) throws IOException {
        folderOf(target);
        boolean isPosix = target.getFileSystem().supportedFileAttributeViews().contains("posix");
        FileAttribute<?>[] mine = isPosix
                ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))}
                : new FileAttribute<?>[0];
        Set<OpenOption> options =
                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE, StandardOpenOption.SYNC);
        boolean isMade = false;
        // The name is opened once: somebody may give it to another file meanwhile.
        try (SeekableByteChannel file = Files.newByteChannel(target, options, mine)) {
            isMade = true;
            for (ByteBuffer left = ByteBuffer.wrap(text); left.hasRemaining();) {
                file.write(left);
            }
        } catch (FileAlreadyExistsException there) {
            throw exists;
        } catch (IOException error) {
            if (isMade) {
                Files.deleteIfExists(target);
            }
            throw Fault.of(error).about(Say.quoted(target));
        }
    }

    private static Path folderOf(Path target) throws Fault {
        Path folder = target.toAbsolutePath().getParent();
        if (!Files.isDirectory(folder)) {
            Object shown = target.getParent() == null ? folder : target.getParent();
            throw Fault.of(Exit.IO, Say.quoted(shown) + " does not exist, so nothing can be written there",
                    "mkdir -p " + Say.quoted(shown));
        }
        return folder;
    }

    private static Fault exists(Path target) {
        return Fault.usage(Say.quoted(target) + " already exists", "choose another name with -o, or replace it with --force");
    }

    /** An output that is an input, too, would feed itself. */
    private static void refuseInputs(Path output, List<LogFile> inputs) throws IOException {
        for (LogFile input : inputs) {
            if (input.isSameFile(output)) {
                throw Fault.usage(Say.quoted(input.name()) + " is both input and output", "choose another name with -o");
            }
        }
    }

    OutputStream stream() {
        return stream;
    }

    /** Gives the file its name. */
    void commit() throws IOException {
        stream.flush();
        if (target == null) {
            return;
        }
        stream.close();
        if (replaces) {
            Files.move(unfinished, target, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
            return;
        }
        try {
            // Unlike a move, a link never replaces a file that was made meanwhile.
            Files.createLink(target, unfinished);
        } catch (FileAlreadyExistsException there) {
            throw exists(target);
        } catch (UnsupportedOperationException noLinks) {
            Files.move(unfinished, target);
        }
    }

    /** Names the output in its errors, which are no errors of an input. */
    private static final class Told extends FilterOutputStream {
        private final String name;

        Told(OutputStream out, String name) {
            super(out);
            this.name = name;
        }

        @Override
        public void write(byte[] text, int from, int length) throws IOException {
            try {
                out.write(text, from, length);
            } catch (IOException error) {
                throw Fault.of(error).about(name);
            }
        }
    }

    /** Removes the file unless it got its name. */
    @Override
    public void close() throws IOException {
        if (target != null) {
            stream.close();
            Files.deleteIfExists(unfinished);
        }
    }
}
