package sealmark.log.reader;

/** Counts the tokens that were not opened, by reason. */
class TokenCounts {
    /** Their session has no header. */
    long orphans;
    /** None of the keys opens the header of their session. */
    long noKey;
    long tampered;
    /** Their value is not text, but their place in the line can contain only text. */
    long notText;
    long cutOff;

    /** Adds others, or subtracts them if the sign is -1. */
    final void add(TokenCounts others, int sign) {
        orphans += sign * others.orphans;
        noKey += sign * others.noKey;
        tampered += sign * others.tampered;
        notText += sign * others.notText;
        cutOff += sign * others.cutOff;
    }
}
