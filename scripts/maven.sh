#!/usr/bin/env bash
# Makes the Maven artifacts of the Java library and its adapters, with the sources, Javadoc and metadata that Maven Central
# demands, in a file repository under target/maven/repository; then an application builds against that repository alone, runs,
# and `sealmark log open` reads its log.
# usage: scripts/maven.sh [--release]      (--release: refuses placeholders in scripts/owner.sh)
# The holder of the owner's key makes the signatures: gpg --detach-sign --armor of each file.
set -euo pipefail
cd "$(dirname "$0")/.."
readonly work=$PWD/target/maven repository=$PWD/target/maven/repository jni=$PWD/target/release/libsealmark_jni.so
readonly modules=(log jul logback log4j2 tomcat jetty undertow reactor-netty logback-access spring-boot)
# shellcheck source=owner.sh
. scripts/owner.sh

main() {
    owner_is_named || [ "${1:-}" != --release ] || { say "no release is made"; exit 1; }
    scripts/setup.sh cc cargo java maven
    cargo build --quiet --release --locked --package sealmark-jni --package sealmark-cli
    rm -rf "$work/source" "$work/application" "$repository"
    mkdir -p "$work/source"
    sources
    maven --file "$work/source/java/pom.xml" -Dmaven.test.skip -Dsealmark.publish -Dsealmark.jni="$jni" \
        --projects "$(IFS=,; echo ".,${modules[*]}")" -DaltDeploymentRepository="target::file://$repository" deploy
    demanded
    application
}

# The owner's names replace the placeholders in the sources, which are those that owner.sh had at first.
sources() {
    git ls-files java | tar --create --files-from - | tar --extract --directory "$work/source"
    owned "$work/source"
}

# owned DIRECTORY: changes all pom.xml in it.
owned() {
    find "$1" -name pom.xml -exec sed -i \
        -e "s|<groupId>sealmark</groupId>|<groupId>$maven_group</groupId>|" \
        -e "s|https://forge.invalid/sealmark/sealmark|$forge_url|" \
        -e "s|Sealmark maintainers|${contact%% <*}|" \
        -e "s|maintainers@sealmark.invalid|$(sed 's/.*<\(.*\)>/\1/' <<<"$contact")|" {} +
}

# Checks that every jar has its sources and Javadoc beside it, and that the parent's file has the metadata.
demanded() {
    local module artifact folder kind element
    for module in "${modules[@]}"; do
        artifact=$(artifact "$module")
        folder=$repository/${maven_group//.//}/$artifact/$(version)
        for kind in .jar -sources.jar -javadoc.jar .pom; do
            [ -s "$folder/$artifact-$(version)$kind" ] || { say "$artifact has no $kind"; exit 1; }
        done
        for element in name description; do
            grep -q "<$element>" "$folder/$artifact-$(version).pom" || { say "$artifact has no <$element>"; exit 1; }
        done
    done
    for element in url license developer scm; do
        grep -q "<$element" "$repository/${maven_group//.//}/sealmark-java/$(version)/sealmark-java-$(version).pom" ||
            { say "the parent has no <$element>"; exit 1; }
    done
    say "${#modules[@]} artifacts have what Central demands, but signatures"
}

# Builds the example for Logback as an application of strangers: without our parent, and with a local repository of its own.
application() {
    local there=$work/application tool=$PWD/target/release/sealmark found
    mkdir -p "$there"
    cp -R java/examples/logback/src/main "$there/main"
    application_pom >"$there/pom.xml"
    rm -rf "$work/local/${maven_group//.//}"
    maven --file "$there/pom.xml" -Dmaven.repo.local="$work/local" package
    cd "$there"
    "$tool" keygen -o key.txt 2>/dev/null
    "$tool" keygen -y key.txt >recipients.txt
    java -cp "target/classes:target/lib/*" example.Main
    ! grep -q 'hanako@example.com' app.log || { say "the application wrote a value in clear"; exit 1; }
    found=$("$tool" log open -i key.txt app.log -o - | grep -c 'login, email=hanako@example.com')
    [ "$found" = 1 ] || { say "the application's log does not open"; exit 1; }
    say "an application built from the repository seals its log"
}

application_pom() {
    cat <<END
<project xmlns="http://maven.apache.org/POM/4.0.0">
    <modelVersion>4.0.0</modelVersion>
    <groupId>example</groupId>
    <artifactId>application</artifactId>
    <version>1</version>
    <properties>
        <maven.compiler.release>17</maven.compiler.release>
        <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
    </properties>
    <repositories>
        <repository>
            <id>sealmark</id>
            <url>file://$repository</url>
        </repository>
    </repositories>
    <dependencies>
        <dependency>
            <groupId>$maven_group</groupId>
            <artifactId>sealmark-logback</artifactId>
            <version>$(version)</version>
        </dependency>
    </dependencies>
    <build>
        <sourceDirectory>main/java</sourceDirectory>
        <resources><resource><directory>main/resources</directory></resource></resources>
        <plugins>
            <plugin>
                <groupId>org.apache.maven.plugins</groupId>
                <artifactId>maven-compiler-plugin</artifactId>
                <version>3.14.0</version>
            </plugin>
            <plugin>
                <groupId>org.apache.maven.plugins</groupId>
                <artifactId>maven-dependency-plugin</artifactId>
                <version>3.8.1</version>
                <executions>
                    <execution>
                        <phase>package</phase>
                        <goals><goal>copy-dependencies</goal></goals>
                        <configuration>
                            <outputDirectory>target/lib</outputDirectory>
                            <includeScope>runtime</includeScope>
                        </configuration>
                    </execution>
                </executions>
            </plugin>
        </plugins>
    </build>
</project>
END
}

artifact() { sed -n 's|^    <artifactId>\(.*\)</artifactId>|\1|p' "java/$1/pom.xml"; }

version() { sed -n 's|^    <version>\(.*\)</version>|\1|p' java/pom.xml; }

maven() { mvn --batch-mode --no-transfer-progress --quiet -Dstyle.color=never "$@"; }

say() { echo "maven: $*" >&2; }

main "$@"
