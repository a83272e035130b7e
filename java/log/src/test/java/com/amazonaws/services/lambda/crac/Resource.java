package com.amazonaws.services.lambda.crac;

/** Stands in for the interface of JVMs that can be checkpointed. */
public interface Resource {
    void beforeCheckpoint(Context<? extends Resource> context) throws Exception;

    void afterRestore(Context<? extends Resource> context) throws Exception;
}
