/** Seals values in logs that Logback writes: conversion words, appenders, a masker for logstash-logback-encoder. */
// The encoder has no module descriptor, and is not needed by everybody.
@SuppressWarnings("requires-automatic")
module sealmark.logback {
    requires transitive sealmark.log;
    requires transitive ch.qos.logback.classic;
    requires transitive ch.qos.logback.core;
    requires org.slf4j;
    requires static logstash.logback.encoder;
    requires static tools.jackson.core;
    requires static tools.jackson.databind;

    exports sealmark.logback;

    provides tools.jackson.databind.JacksonModule with sealmark.logback.SealedModule;
}
