package sealmark.log.reader;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sealmark.log.reader.Arguments.Option;

/** Only the program {@code sealmark} has some things: each is an error whose hint is a command. */
class ElsewhereTest {
    @TempDir
    Path folder;

    @ParameterizedTest
    @CsvSource({
        "log open, --since=2h, sealmark log open -i key.txt --since 2h app.log",
        "log open, --until=2h, sealmark log open -i key.txt --until 2h app.log",
        "log open, --follow, tail -F app.log | java -jar sealmark-log-reader.jar open -i key.txt --side-file app.log",
        "log open, --passphrase-file=pw, sealmark open -o - key.txt | java -jar sealmark-log-reader.jar open -i - app.log",
        "log grep, --since, sealmark log grep -i key.txt PATTERN --since 2h app.log",
        "log grep, --follow, tail -F app.log | java -jar sealmark-log-reader.jar grep -i key.txt PATTERN --side-file app.log",
        "log verify, --in-order, sealmark log verify --in-order -i key.txt app.log",
        "log grep, --passphrase-fd, sealmark open -o - key.txt | java -jar sealmark-log-reader.jar grep -i - PATTERN app.log",
        "log verify, --passphrase-fd, sealmark open -o - key.txt | java -jar sealmark-log-reader.jar verify -i - app.log",
        "keygen, --passphrase, sealmark keygen -p -o key.txt",
        "keygen, -p, sealmark keygen -p -o key.txt",
        "keygen, --passphrase-file=pw, sealmark keygen -y --passphrase-file FILE key.txt",
        "keygen, --passphrase-fd=3, sealmark keygen -y --passphrase-file FILE key.txt",
        "keygen, --sign, sealmark keygen --sign -o sign.txt",
    })
    void anOptionIsAnErrorWithACommand(String verb, String word, String command) {
        List<Option> options = switch (verb) {
            case "log open" -> OpenVerb.OPTIONS;
            case "log grep" -> GrepVerb.OPTIONS;
            case "log verify" -> VerifyVerb.OPTIONS;
            default -> Keygen.OPTIONS;
        };
        Fault fault = assertThrows(Fault.class, () -> Arguments.parse(verb, options, List.of(word)));
        assertEquals(Exit.USAGE, fault.exit());
        assertEquals("only the program `sealmark` has '" + word.replaceFirst("=.*", "") + "'", fault.lines().get(0));
        assertTrue(fault.lines().get(1).startsWith("hint: ") && fault.lines().get(1).endsWith(command), fault::getMessage);
    }

    @ParameterizedTest
    @CsvSource({"-----BEGIN SEALMARK ENCRYPTED FILE-----", "-----BEGIN AGE ENCRYPTED FILE-----", "sealmark/1", "age-encryption.org/v1"})
    void aLockedKeyIsAnErrorWithACommand(String start) throws IOException {
        String file = keyFile(start + "\nAAAA\n");
        Fault fault = assertThrows(Fault.class, () -> KeyFiles.identities("log open", file));
        assertEquals(Exit.NO_KEY, fault.exit());
        assertTrue(fault.lines().get(0).endsWith("key.txt\" is encrypted with a passphrase, which this program cannot open"));
        assertTrue(fault.lines().get(1).endsWith(": sealmark open -o - \"" + folder.resolve("key.txt")
                + "\" | java -jar sealmark-log-reader.jar open -i - app.log"), fault::getMessage);
        Fault ofKeygen = assertThrows(Fault.class, () -> KeyFiles.identities("keygen", file));
        assertTrue(ofKeygen.lines().get(1).endsWith(": sealmark keygen -y \"" + file + "\""), ofKeygen::getMessage);
    }

    @ParameterizedTest
    @CsvSource({"-----BEGIN OPENSSH PRIVATE KEY-----", "AGE-PLUGIN-YUBIKEY-1QQPQYRZ"})
    void aKeyThatOpensNoLogsIsAnError(String start) throws IOException {
        Fault fault = assertThrows(Fault.class, () -> KeyFiles.identities("log open", keyFile("# a key\n" + start + "\n")));
        assertEquals(Exit.USAGE, fault.exit());
        assertTrue(fault.lines().get(0).endsWith("line 2: SSH keys and plugin keys cannot be used for logs"), fault::getMessage);
    }

    @Test
    void aSealedFileIsAnErrorWithACommand() throws IOException {
        LogFile file = LogFile.all(List.of(keyFile("sealmark/1\n"))).get(0);
        Fault fault = assertThrows(Fault.class, file::open);
        assertEquals("this is a sealed file, not a log", fault.lines().get(0));
        assertTrue(fault.lines().get(1).endsWith(": sealmark open FILE"), fault::getMessage);
    }

    @Test
    void aClosedOpenerSaysSo() {
        LogOpener opener = LogOpener.builder().build();
        opener.close();
        Exception error = assertThrows(IllegalStateException.class, () -> opener.open(new byte[0]));
        assertEquals("this LogOpener is closed; make a new one", error.getMessage());
    }

    @ParameterizedTest
    @CsvSource({"-i -, ''", "-i - -i -, app.log", "-i - --psk -, app.log", "-i -, app.log -", "-i - --side-file -, app.log",
        "-i key.txt --side-file -, ''"})
    void standardInputHasOneReader(String keys, String logs) throws Fault {
        Arguments arguments = Arguments.parse("log open", OpenVerb.OPTIONS, List.of((keys + " " + logs).trim().split(" ")));
        Fault fault = assertThrows(Fault.class, () -> KeyFiles.require(arguments, arguments.rest()));
        assertEquals("standard input is used twice, but can be read only once", fault.lines().get(0));
    }

    @Test
    void aKeyFromStandardInputIsFine() throws Fault {
        Arguments arguments = Arguments.parse("log open", OpenVerb.OPTIONS, List.of("-i", "-", "app.log"));
        KeyFiles.require(arguments, arguments.rest());
        assertEquals(List.of("app.log"), arguments.rest());
    }

    private String keyFile(String text) throws IOException {
        return Files.writeString(folder.resolve("key.txt"), text).toString();
    }
}
