#!/usr/bin/env bash
# Names the publisher of Sealmark, in one place. These are placeholders until the owner names them: scripts that publish warn of
# them, and make no release (--release). Run it after a change of a name, because docs/ and java/README.md show the Maven group to copy.
# usage: scripts/owner.sh
forge_url='https://forge.invalid/sealmark/sealmark'
contact='Sealmark maintainers <maintainers@sealmark.invalid>'
maven_group='sealmark'

owner_is_named() {
    case "$forge_url $contact $maven_group" in
    *.invalid* | *' sealmark')
        say "scripts/owner.sh has placeholders: name the owner before you publish"
        return 1
        ;;
    esac
}

# pages FILE...: writes the group into them, in front of each artifact of ours.
pages() {
    sed -i -e "/<groupId>/{N;s|<groupId>.*</groupId>\(\n *<artifactId>sealmark-\)|<groupId>$maven_group</groupId>\1|}" \
        -e "s|\"[^\":]*:sealmark-|\"$maven_group:sealmark-|" "$@"
}

if [ "${BASH_SOURCE[0]}" = "$0" ]; then pages "$(dirname "$0")"/../{docs/*,java/README}.md; fi
