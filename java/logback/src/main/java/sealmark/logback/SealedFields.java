package sealmark.logback;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import net.logstash.logback.mask.PathBasedFieldMasker;
import net.logstash.logback.mask.ValueMasker;
import sealmark.log.Sealed;
import sealmark.log.Sealers;
import tools.jackson.core.TokenStreamContext;

/**
 * Seals fields of the JSON that logstash-logback-encoder writes, by name or path:
 *
 * <pre>{@code
 * <decorator class="net.logstash.logback.mask.MaskingJsonGeneratorDecorator">
 *   <valueMasker class="sealmark.logback.SealedFields">
 *     <field>email</field>
 *     <path>/order/card</path>
 *   </valueMasker>
 * </decorator>
 * }</pre>
 *
 * Of an object or array, all strings and numbers in it are sealed, each under the name of its own field. Numbers open as
 * strings of their digits. The encoder shows maskers neither {@code true}, {@code false} and {@code null} nor raw JSON: those stay in
 * clear.
 */
// Who uses this has what it is made for.
@SuppressWarnings("exports")
public final class SealedFields implements ValueMasker {
    private final Set<String> names = new HashSet<>();
    private final List<PathBasedFieldMasker> paths = new ArrayList<>();
    private String sealer = Sealers.DEFAULT;

    /** A masker that seals nothing yet. */
    public SealedFields() {}

    /**
     * Adds a field, wherever it stands.
     *
     * @param name its name
     */
    public void addField(String name) {
        names.add(name.trim());
    }

    /**
     * Adds a field by its place.
     *
     * @param path as in {@link PathBasedFieldMasker}: {@code /order/card} from the root on, {@code order/card} anywhere
     */
    public void addPath(String path) {
        paths.add(new PathBasedFieldMasker(path.trim(), true));
    }

    /**
     * Chooses the sealer.
     *
     * @param sealer {@link Sealers#DEFAULT}, if nobody calls this
     */
    public void setSealer(String sealer) {
        this.sealer = sealer.trim();
    }

    @Override
    public Object mask(TokenStreamContext context, Object value) {
        String nearest = null;
        for (TokenStreamContext at = context; at != null; at = at.getParent()) {
            if (nearest == null && at.hasCurrentName()) {
                nearest = at.currentName();
            }
            if (isNamed(at)) {
                return Sealed.of(sealer, nearest == null ? "value" : nearest, value).toString();
            }
        }
        return null;
    }

    private boolean isNamed(TokenStreamContext at) {
        if (at.hasCurrentName() && names.contains(at.currentName())) {
            return true;
        }
        for (PathBasedFieldMasker path : paths) {
            if (path.mask(at) != null) {
                return true;
            }
        }
        return false;
    }
}
