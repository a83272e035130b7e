package sealmark.lab.app;

import java.io.CharArrayWriter;
import java.util.regex.Pattern;
import org.apache.catalina.valves.AccessLogValve;

/** Masks as people do today: stars replace the values of parameters whose names a regular expression lists. */
final class MaskingValve extends AccessLogValve {
    private static final Pattern VALUE = Pattern.compile("([?&](?:email|name|card)=)[^&\\s\"]*");

    @Override
    public void log(CharArrayWriter message) {
        String masked = VALUE.matcher(message.toString()).replaceAll("$1****");
        message.reset();
        message.write(masked, 0, masked.length());
        super.log(message);
    }
}
