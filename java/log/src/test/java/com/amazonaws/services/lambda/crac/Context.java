package com.amazonaws.services.lambda.crac;

/** Stands in for the interface of JVMs that can be checkpointed. */
public interface Context<R extends Resource> {
    void register(R resource);
}
