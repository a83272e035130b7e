package com.amazonaws.services.lambda.crac;

import java.util.ArrayList;
import java.util.List;

/** Stands in for the interface of JVMs that can be checkpointed, which most cannot. */
public final class Core {
    private static final List<Resource> RESOURCES = new ArrayList<>();

    private Core() {}

    public static Context<Resource> getGlobalContext() {
        return RESOURCES::add;
    }

    public static void beforeCheckpoint() throws Exception {
        for (Resource resource : RESOURCES) {
            resource.beforeCheckpoint(null);
        }
    }

    public static void afterRestore() throws Exception {
        for (Resource resource : RESOURCES) {
            resource.afterRestore(null);
        }
    }
}
