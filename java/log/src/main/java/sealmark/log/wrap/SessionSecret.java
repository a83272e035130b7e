package sealmark.log.wrap;
public final class SessionSecret implements AutoCloseable { public static SessionSecret generate(){return null;} public String idText(){return "";} public byte[] valueKey(){return null;} public byte[] header(Readers r){return null;} @Override public void close(){} }
