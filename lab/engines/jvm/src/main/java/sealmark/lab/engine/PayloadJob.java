package sealmark.lab.engine;

/**
 * The job that {@code prepare} asks for, if it is {@code payload}. Its {@code bytes} are in a file and need no array.
 */
final class PayloadJob {
    final Algorithm algorithm;
    final String mode;
    final Recipe recipe;

    PayloadJob(Ask prepare) throws Trouble {
        this(prepare.text("algorithm"), prepare.text("mode"), new Recipe(prepare.number("seed")));
    }

    PayloadJob(String algorithm, String mode, Recipe recipe) throws Trouble {
        this.algorithm = named(algorithm);
        this.mode = mode;
        this.recipe = recipe;
    }

    private static Algorithm named(String label) throws Trouble {
        Algorithm algorithm = Algorithm.named(label);
        if (algorithm != Algorithm.AES_128_GCM && algorithm != Algorithm.AES_256_GCM) {
            throw Trouble.unsupported("job \"payload\" has no algorithm \"" + label + "\"");
        }
        return algorithm;
    }
}
