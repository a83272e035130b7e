# Who publishes Sealmark, in one place. These are placeholders until the owner names them: scripts/dist.sh warns of them, and
# refuses to make a release (--release).
forge_url='https://forge.invalid/sealmark/sealmark'
contact='Sealmark maintainers <maintainers@sealmark.invalid>'
maven_group='sealmark'
