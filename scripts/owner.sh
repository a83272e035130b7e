# Names the publisher of Sealmark, in one place. These are placeholders until the owner names them: scripts that publish warn of
# them, and make no release (--release).
forge_url='https://forge.invalid/sealmark/sealmark'
contact='Sealmark maintainers <maintainers@sealmark.invalid>'
maven_group='sealmark'

owner_is_named() {
    case "$forge_url $contact" in
    *.invalid*)
        say "scripts/owner.sh has placeholders: name the owner before you publish"
        return 1
        ;;
    esac
}
