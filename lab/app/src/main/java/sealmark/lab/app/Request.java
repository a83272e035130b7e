package sealmark.lab.app;

import java.nio.charset.StandardCharsets;

/** One request by the recipe of spec/engine.md, "log-app", and the answer it must get. */
final class Request {
    private static final int PRIVATE_BYTES = 32;
    private static final int EMAIL_LENGTH = 49;
    private static final String HEADERS = " HTTP/1.1\r\nHost: shop.example\r\n"
            + "User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0\r\n"
            + "Accept: application/json\r\n\r\n";

    final byte[] bytes;
    final byte[] body;

    Request(long seed, long number) {
        this.bytes = ("GET " + target(seed, number) + HEADERS).getBytes(StandardCharsets.US_ASCII);
        this.body = OrderServlet.body(number, EMAIL_LENGTH).getBytes(StandardCharsets.US_ASCII);
    }

    static String target(long seed, long number) {
        String digits = SplitMix.hex(seed + 3 + number, PRIVATE_BYTES);
        return "/orders/" + number + "?page=2&email=guest." + digits.substring(0, 30) + "%40mail.example&name=Zo%C3%AB+"
                + digits.substring(30, 46) + "&card=" + decimal(digits.substring(48));
    }

    /** Letters of hexadecimal digits become the digits from 0 on. */
    private static String decimal(String digits) {
        StringBuilder card = new StringBuilder(digits);
        for (int at = 0; at < card.length(); at++) {
            char digit = card.charAt(at);
            card.setCharAt(at, digit < 'a' ? digit : (char) (digit - 'a' + '0'));
        }
        return card.toString();
    }
}
