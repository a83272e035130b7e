package sealmark.log.wrap; import java.util.List; import sealmark.log.keys.*;
public final class Readers { public static Readers of(List<Recipient> r){return null;} public static Readers of(PreSharedKey k){return null;} }
