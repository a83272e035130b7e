package sealmark.logback;

/** A conversion word that seals, as opposed to those that write values in the clear. */
interface SealingWord {
    /** The name of its sealer. */
    String sealer();
}
