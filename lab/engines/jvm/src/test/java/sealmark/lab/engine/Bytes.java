package sealmark.lab.engine;

import java.nio.charset.StandardCharsets;

/** Bytes as tests write them down. */
final class Bytes {
    private Bytes() {}

    static byte[] hex(String digits) {
        String dense = digits.replaceAll("\\s", "");
        byte[] bytes = new byte[dense.length() / 2];
        for (int at = 0; at < bytes.length; at++) {
            bytes[at] = (byte) Integer.parseInt(dense.substring(2 * at, 2 * at + 2), 16);
        }
        return bytes;
    }

    static String hex(byte[] bytes) {
        StringBuilder digits = new StringBuilder();
        for (byte octet : bytes) {
            digits.append(String.format("%02x", octet));
        }
        return digits.toString();
    }

    static byte[] text(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    static byte[] withFlippedBit(byte[] bytes, int at) {
        byte[] damaged = bytes.clone();
        damaged[at] ^= 1;
        return damaged;
    }
}
