package sealmark.log4j2;

import org.apache.logging.log4j.core.config.plugins.Plugin;
import org.apache.logging.log4j.core.config.plugins.PluginFactory;
import org.apache.logging.log4j.layout.template.json.resolver.EventResolverContext;
import org.apache.logging.log4j.layout.template.json.resolver.EventResolverFactory;
import org.apache.logging.log4j.layout.template.json.resolver.TemplateResolverConfig;
import org.apache.logging.log4j.layout.template.json.resolver.TemplateResolverFactory;

/** Makes {@link SealedResolver} known to JsonTemplateLayout. */
@Plugin(name = "SealedResolverFactory", category = TemplateResolverFactory.CATEGORY)
public final class SealedResolverFactory implements EventResolverFactory {
    private static final SealedResolverFactory INSTANCE = new SealedResolverFactory();

    private SealedResolverFactory() {}

    /**
     * Called by Log4j.
     *
     * @return the only one
     */
    @PluginFactory
    public static SealedResolverFactory getInstance() {
        return INSTANCE;
    }

    @Override
    public String getName() {
        return SealedResolver.NAME;
    }

    @Override
    public SealedResolver create(EventResolverContext context, TemplateResolverConfig config) {
        return new SealedResolver(context, config);
    }
}
