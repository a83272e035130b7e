package sealmark.spark;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import com.github.luben.zstd.ZstdInputStream;
import com.github.luben.zstd.ZstdOutputStream;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.SequenceInputStream;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.compress.GzipCodec;

/** The compression of a file, told by its first bytes, whatever its name is. */
enum Compression {
    NONE,
    GZIP {
        @Override
        InputStream decoder(InputStream in, Configuration configuration) throws IOException {
            // The JDK's decoder takes a damaged second member for the end of the file.
            return codec(configuration).createInputStream(in);
        }

        @Override
        OutputStream encoder(OutputStream out, Configuration configuration) throws IOException {
            return codec(configuration).createOutputStream(out);
        }

        private GzipCodec codec(Configuration configuration) {
            GzipCodec codec = new GzipCodec();
            codec.setConf(configuration);
            return codec;
        }
    },
    ZSTD {
        @Override
        InputStream decoder(InputStream in, Configuration configuration) throws IOException {
            return new ZstdInputStream(in).setLongMax(WINDOW);
        }

        @Override
        OutputStream encoder(OutputStream out, Configuration configuration) throws IOException {
            return new ZstdOutputStream(out).setChecksum(true);
        }
    },

    /** Has columns and no lines, and is read by its own library. */
    PARQUET;

    /** The memory that a frame may ask for, as its logarithm: as much as the {@code zstd} program grants. */
    private static final int WINDOW = 27;
    private static final byte[] GZIP_START = {0x1f, (byte) 0x8b};
    private static final byte[] ZSTD_START = {0x28, (byte) 0xb5, 0x2f, (byte) 0xfd};
    private static final byte[] PARQUET_START = {'P', 'A', 'R', '1'};
    /** The first bytes of files that {@code sealmark seal} or age wrote. */
    private static final List<String> SEALED = List.of("sealmark/1\n", "age-encryption.org/v1\n",
            "-----BEGIN SEALMARK ENCRYPTED FILE-----", "-----BEGIN AGE ENCRYPTED FILE-----");
    private static final int LONGEST_START = 40;

    /** A file's text, and how it was compressed. */
    record Text(Compression compression, InputStream in) {}

    /** The content of a compressed file is wrong, and no other attempt will find it better. */
    static final class Damaged extends IOException {
        private static final long serialVersionUID = 1;

        Damaged(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /** Tells a decoder's errors from those of the file below it. */
    private static final class Decoded extends FilterInputStream {
        Decoded(InputStream in) {
            super(in);
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] buffer, int from, int length) throws IOException {
            try {
                return in.read(buffer, from, length);
            } catch (SourceStream.Failed e) {
                throw e;
            } catch (EOFException e) {
                throw new Damaged("the compressed log is cut off", e);
            } catch (IOException e) {
                boolean isCutOff = String.valueOf(e.getMessage()).contains("runcated");
                throw new Damaged(isCutOff ? "the compressed log is cut off" : "the compressed log is damaged", e);
            }
        }
    }

    static Text text(InputStream in, Configuration configuration) throws IOException {
        byte[] start = in.readNBytes(LONGEST_START);
        String text = new String(start, ISO_8859_1);
        if (SEALED.stream().anyMatch(text::startsWith)) {
            throw new SourceStream.Failed("this is a sealed file, not a log\nhint: open it with `sealmark open`", null);
        }
        Compression compression = of(start);
        InputStream whole = new SequenceInputStream(new ByteArrayInputStream(start), in);
        InputStream decoded = compression.decoder(whole, configuration);
        return new Text(compression, decoded == whole ? whole : new Decoded(decoded));
    }

    private static Compression of(byte[] start) {
        if (begins(start, ZSTD_START)) {
            return ZSTD;
        }
        return begins(start, GZIP_START) ? GZIP : begins(start, PARQUET_START) ? PARQUET : NONE;
    }

    private static boolean begins(byte[] text, byte[] start) {
        return text.length >= start.length && Arrays.equals(text, 0, start.length, start, 0, start.length);
    }

    InputStream decoder(InputStream in, Configuration configuration) throws IOException {
        return in;
    }

    OutputStream encoder(OutputStream out, Configuration configuration) throws IOException {
        return out;
    }
}
