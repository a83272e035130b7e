package sealmark.lab.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class RequestTest {
    /** The first published number of splitmix64 for 1234567 is 6457827717110365317, 0x599ed017fb08fc85. */
    @Test
    void a_request_is_made_as_the_specification_says() {
        String expected = "/orders/4?page=2&email=guest.85fc08fb17d09e59a50f545884f073%40mail.example"
                + "&name=Zo%C3%AB+2c777cf2a3e5bc3e&card=3571174940571435";
        assertEquals(expected, Request.target(1_234_560, 4));
        Request request = new Request(1_234_560, 4);
        String text = new String(request.bytes, StandardCharsets.US_ASCII);
        assertTrue(text.startsWith("GET " + expected + " HTTP/1.1\r\nHost: ") && text.endsWith("\r\n\r\n"), text);
        String body = new String(request.body, StandardCharsets.US_ASCII);
        assertEquals("{\"order\":4,\"contact\":49,\"state\":\"shipped\"}\n", body);
    }

    @Test
    void seeds_go_around() {
        assertEquals(Request.target(Long.MIN_VALUE + 7, 1), Request.target(Long.MAX_VALUE, 9).replace("/9?", "/1?"));
    }

    @Test
    void a_percentile_is_the_smallest_time_that_so_many_do_not_exceed() {
        long[] hundred = new long[100];
        for (int at = 0; at < hundred.length; at++) {
            hundred[at] = at + 1;
        }
        assertEquals(50, Span.nearestRank(hundred, 50));
        assertEquals(99, Span.nearestRank(hundred, 99));
        assertEquals(7, Span.nearestRank(new long[] {7}, 99));
        assertEquals(8, Span.nearestRank(new long[] {7, 8, 9}, 50));
        assertEquals(9, Span.nearestRank(new long[] {7, 8, 9}, 99));
    }
}
