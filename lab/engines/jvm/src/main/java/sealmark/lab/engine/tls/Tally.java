package sealmark.lab.engine.tls;

import java.util.Map;
import sealmark.lab.engine.Trouble;

/** The connections of a span: all of one protocol, suite and group, full or resumed. */
final class Tally {
    private String protocol;
    private String suite;
    private String group;
    private long full;
    private long resumed;

    void add(String itsProtocol, String itsSuite, String itsGroup, boolean isResumed) throws Trouble {
        protocol = same(protocol, itsProtocol);
        suite = same(suite, itsSuite);
        group = same(group, itsGroup);
        full += isResumed ? 0 : 1;
        resumed += isResumed ? 1 : 0;
    }

    void add(Tally other) throws Trouble {
        if (other.full + other.resumed > 0) {
            add(other.protocol, other.suite, other.group, false);
            full += other.full - 1;
            resumed += other.resumed;
        }
    }

    private static String same(String before, String now) throws Trouble {
        if (before != null && !before.equals(now)) {
            throw Trouble.failed("one connection had " + before + " and another " + now);
        }
        return now;
    }

    void report(Map<String, Object> answer) {
        answer.put("protocol", protocol);
        answer.put("suite", suite);
        answer.put("group", group);
        answer.put("full", full);
        answer.put("resumed", resumed);
    }
}
