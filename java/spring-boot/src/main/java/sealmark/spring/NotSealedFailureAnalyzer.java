package sealmark.spring;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says why an application does not start, in place of a stack trace. */
final class NotSealedFailureAnalyzer extends AbstractFailureAnalyzer<NotSealedException> {
    NotSealedFailureAnalyzer() {}

    @Override
    protected FailureAnalysis analyze(Throwable failure, NotSealedException cause) {
        return new FailureAnalysis("The application's log cannot be sealed: " + cause.getMessage(),
                cause.hint() + "\n\nTo log in the clear, set sealmark.enabled=false.", cause);
    }
}
