package sealmark.lab.engine;

/** A prepared way to seal values into the text of a log, of which each thread takes a slot. */
abstract class RecordWay {
    /** Whether altered text is promised to be refused. */
    final boolean authenticated;

    /** What really does the work. */
    final String code;

    RecordWay(boolean authenticated, String code) {
        this.authenticated = authenticated;
        this.code = code;
    }

    /** What the thread of that number has before it: no two of them count from the same place. */
    abstract RecordSlot slot(int number) throws Exception;

    /** A way from string to string, as libraries that write logs call it. */
    static RecordWay ofStrings(boolean authenticated, String code, Sealers<StringSealer> sealers) {
        return new RecordWay(authenticated, code) {
            @Override
            RecordSlot slot(int number) throws Exception {
                return new StringSlot(sealers.take(number));
            }
        };
    }

    /** A way from bytes into the caller's buffer. */
    static RecordWay ofBytes(boolean authenticated, String code, Sealers<BytesSealer> sealers) {
        return new RecordWay(authenticated, code) {
            @Override
            RecordSlot slot(int number) throws Exception {
                return new BytesSlot(sealers.take(number));
            }
        };
    }

    /** Gives each thread a sealer of its own. */
    interface Sealers<H> {
        H take(int number) throws Exception;
    }
}
