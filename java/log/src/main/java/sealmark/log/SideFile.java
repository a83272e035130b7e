package sealmark.log;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import sealmark.log.engine.SealException;
import sealmark.log.engine.Session;

/** A file with the header of every session, written before the first token. */
final class SideFile {
    private final Path file;

    SideFile(Path file) {
        this.file = file;
    }

    void append(Session session) throws SealException {
        byte[] lines = session.headerLines(Shape.PLAIN).getBytes(ISO_8859_1);
        try {
            Files.write(file, lines, StandardOpenOption.CREATE, StandardOpenOption.APPEND, StandardOpenOption.DSYNC);
        } catch (IOException error) {
            throw new SealException("no header in the side file \"" + file + "\": " + error.getMessage(), error);
        }
    }
}
