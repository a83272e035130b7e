package sealmark.spark;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.function.Supplier;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.analysis.NoSuchFunctionException;
import org.apache.spark.sql.catalyst.analysis.NoSuchNamespaceException;
import org.apache.spark.sql.connector.catalog.FunctionCatalog;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.connector.catalog.functions.BoundFunction;
import org.apache.spark.sql.connector.catalog.functions.UnboundFunction;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * The functions {@code sealmark.open}, {@code open_line}, {@code label} and {@code is_sealed} in SQL.
 *
 * <pre>
 * spark.sql.catalog.sealmark=sealmark.spark.SealmarkCatalog
 * spark.sql.catalog.sealmark.identity=/etc/sealmark/ops.key     (or credential, key-provider)
 * spark.sql.catalog.sealmark.sessions=sessions.parquet
 * </pre>
 */
public final class SealmarkCatalog implements FunctionCatalog {
    private static final String OPEN = "open";
    private static final String OPEN_LINE = "open_line";
    private static final String LABEL = "label";
    private static final String IS_SEALED = "is_sealed";

    private String name = "sealmark";
    private Supplier<ValueOpener> opener;

    /** Makes a catalog; Spark calls it. */
    public SealmarkCatalog() {}

    @Override
    public void initialize(String catalog, CaseInsensitiveStringMap options) {
        name = catalog;
        KeyProvider keys = KeyOptions.provider(options::get);
        opener = () -> {
            try {
                return Known.opener(SparkSession.active(), keys, options.get("sessions"),
                        options.getBoolean("allow-plaintext-spill", false), "spark.sql.catalog." + name);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        };
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Identifier[] listFunctions(String[] namespace) throws NoSuchNamespaceException {
        if (namespace.length > 0) {
            throw new NoSuchNamespaceException(namespace);
        }
        return List.of(OPEN, OPEN_LINE, LABEL, IS_SEALED).stream().map(one -> Identifier.of(namespace, one))
                .toArray(Identifier[]::new);
    }

    @Override
    public UnboundFunction loadFunction(Identifier function) throws NoSuchFunctionException {
        if (function.namespace().length > 0) {
            throw new NoSuchFunctionException(function);
        }
        return switch (function.name()) {
            case OPEN -> new Unbound(OPEN, "the value of a token", () -> new OpenFunction(opener.get()));
            case OPEN_LINE -> new Unbound(OPEN_LINE, "a line with the values of its tokens",
                    () -> new OpenLineFunction(opener.get()));
            case LABEL -> new Unbound(LABEL, "the label of a token", LabelFunction::new);
            case IS_SEALED -> new Unbound(IS_SEALED, "true if a text has a token in it", IsSealedFunction::new);
            default -> throw new NoSuchFunctionException(function);
        };
    }

    private record Unbound(String name, String description, Supplier<BoundFunction> bound) implements UnboundFunction {
        @Override
        public BoundFunction bind(StructType input) {
            if (input.length() != 1) {
                throw new UnsupportedOperationException(name + " takes one text");
            }
            return bound.get();
        }
    }
}
