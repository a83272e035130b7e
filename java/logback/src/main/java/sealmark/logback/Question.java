package sealmark.logback;

/**
 * What {@link SealedFields} would seal of something that a thread writes just to know that. Nothing is sealed
 * meanwhile: a token that nobody writes would be missed.
 */
final class Question {
    private static final ThreadLocal<Question> ASKED = new ThreadLocal<>();

    /** The first field that is to be sealed; null where there is none. */
    private String name;
    private String sealer;

    /** Asks by writing. */
    static Question ask(Runnable write) {
        Question question = new Question();
        ASKED.set(question);
        try {
            write.run();
            return question;
        } finally {
            ASKED.remove();
        }
    }

    static boolean isAsked() {
        return ASKED.get() != null;
    }

    static void answer(String name, String sealer) {
        Question question = ASKED.get();
        if (question.name == null) {
            question.name = name;
            question.sealer = sealer;
        }
    }

    String name() {
        return name;
    }

    String sealer() {
        return sealer;
    }
}
