package sealmark.lab.engine;

/** A prepared way to seal values into the text of a log, of which each thread takes a slot. */
abstract class RecordWay {
    /** True if the library promises to refuse altered text. */
    final boolean authenticated;

    /** The name of the code that does the work, which may be another than the engine's. */
    final String code;

    RecordWay(boolean authenticated, String code) {
        this.authenticated = authenticated;
        this.code = code;
    }

    /** Makes the slot of the thread of that number. No two slots count from the same place. */
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
