#!/usr/bin/env bash
# Makes the Maven artifacts of the Java library and its adapters, with the sources, Javadoc and metadata that Maven Central
# demands, in a file repository under target/maven/repository; then two applications build against that repository alone, run,
# and `sealmark log open` and the reader in Java read their logs.
# usage: scripts/maven.sh [--release]      (--release: refuses placeholders in scripts/owner.sh)
# The holder of the owner's key makes the signatures: gpg --detach-sign --armor of each file.
set -euo pipefail
cd "$(dirname "$0")/.."
readonly work=$PWD/target/maven repository=$PWD/target/maven/repository
# Modules in a directory within another one are examples or tests, and are not published; nor is one of tests alone.
mapfile -t modules < <(sed -n 's|^ *<module>\([^/]*\)</module>|\1|p' java/pom.xml | while read -r module; do
    [ ! -d "java/$module/src/main" ] || echo "$module"
done)
readonly modules
# shellcheck source=owner.sh
. scripts/owner.sh
# shellcheck source=portable.sh
. scripts/portable.sh

main() {
    [ "$(uname -sm)" = "Linux x86_64" ] ||
        { say "the native libraries are built on Linux on x86-64: run this there"; exit 1; }
    owner_is_named || [ "${1:-}" != --release ] || { say "no release is made"; exit 1; }
    scripts/setup.sh java maven
    install_portable_tools
    natives
    portable sealmark-cli
    rm -rf "$work/source" "$work/application" "$repository"
    mkdir -p "$work/source"
    sources
    maven --file "$work/source/java/pom.xml" -Dmaven.test.skip -Dsealmark.publish -Dsealmark.jni=none \
        -Dsealmark.natives="$portable_natives" \
        --projects "$(IFS=,; echo ".,${modules[*]}")" -DaltDeploymentRepository="target::file://$repository" deploy
    demanded
    native_image
    application logback sealmark-logback app.log 'login, email=hanako@example.com'
    application spring-boot sealmark-spring-boot-starter console.log 'user=hanako paid by hanako@example.com'
}

# The owner's names replace the placeholders in the sources, which are those that owner.sh had at first.
sources() {
    git ls-files java LICENSE-MIT LICENSE-APACHE | tar --create --files-from - | tar --extract --directory "$work/source"
    owned "$work/source"
}

# owned DIRECTORY: changes all pom.xml in it.
owned() {
    find "$1" -name pom.xml -exec sed -i \
        -e "s|<groupId>sealmark</groupId>|<groupId>$maven_group</groupId>|" \
        -e "s|https://forge.invalid/sealmark/sealmark|$(replacement "$forge_url")|" \
        -e "s|Sealmark maintainers|$(replacement "${contact%% <*}")|" \
        -e "s|maintainers@sealmark.invalid|$(replacement "$(sed 's/.*<\(.*\)>/\1/' <<<"$contact")")|" {} +
}

# replacement TEXT: TEXT as XML shows it, for the right side of sed's s|||: a name may have an ampersand.
replacement() {
    sed -e 's/&/\&amp;/g' -e 's/</\&lt;/g' -e 's/[\\|&]/\\&/g' <<<"$1"
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
    python3 scripts/jars.py --group "$maven_group" --natives "$portable_natives" \
        "$repository/${maven_group//.//}"/*/"$(version)/"*"-$(version).jar"
    for element in url license developer scm; do
        grep -q "<$element" "$repository/${maven_group//.//}/sealmark-java/$(version)/sealmark-java-$(version).pom" ||
            { say "the parent has no <$element>"; exit 1; }
    done
    say "${#modules[@]} artifacts have what Central demands, but signatures"
}

# GraalVM's own parser must understand the metadata in the jars. No image is built: package registries have the compiler of
# images, org.graalvm.nativeimage:svm, but not the JDK's static libraries, which it links.
native_image() {
    local there=$work/graalvm artifact
    scripts/jdks.sh 25
    rm -rf "$there"
    mkdir -p "$there"
    cat >"$there/pom.xml" <<END
<project xmlns="http://maven.apache.org/POM/4.0.0">
    <modelVersion>4.0.0</modelVersion>
    <groupId>example</groupId>
    <artifactId>graalvm</artifactId>
    <version>1</version>
    <dependencies>
        <dependency>
            <groupId>org.graalvm.nativeimage</groupId>
            <artifactId>svm-configure</artifactId>
            <version>25.0.2</version>
        </dependency>
    </dependencies>
</project>
END
    maven --file "$there/pom.xml" org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies \
        -DoutputDirectory="$there/lib"
    for artifact in sealmark-log sealmark-wss; do
        python3 -m zipfile -e "$repository/${maven_group//.//}/$artifact/$(version)/$artifact-$(version).jar" "$there/$artifact"
        target/jdks/25/bin/java -cp "$there/lib/*" com.oracle.svm.configure.ConfigurationTool generate \
            --input-dir="$(dirname "$there/$artifact"/META-INF/native-image/*/*/reachability-metadata.json)" \
            --output-dir="$there/$artifact-read"
        [ -s "$there/$artifact-read/reachability-metadata.json" ] || { say "GraalVM reads nothing from $artifact"; exit 1; }
    done
    say "GraalVM reads the metadata for native-image"
}

# application EXAMPLE ARTIFACT LOG LINE: builds an example as an application of strangers, without our parent and with a local
# repository of its own. LINE is a part of its log that can be read only when the log is opened.
application() {
    local example=$1 artifact=$2 log=$3 line=$4 there=$work/application/$1 tool=$portable_build/sealmark found
    local reader=$repository/${maven_group//.//}/sealmark-log-reader/$(version)/sealmark-log-reader-$(version)-program.jar
    mkdir -p "$there"
    cp -R "java/examples/$example/src/main" "$there/main"
    application_pom "$artifact" >"$there/pom.xml"
    rm -rf "$work/local/${maven_group//.//}"
    maven --file "$there/pom.xml" -Dmaven.repo.local="$work/local" package
    (
        cd "$there"
        "$tool" keygen -o key.txt 2>/dev/null
        "$tool" keygen -y key.txt >recipients.txt
        java -cp "target/classes:target/lib/*" example.Main >console.log
        ! grep -q 'hanako@example.com' "$log" || { say "the application with $artifact wrote a value in the clear"; exit 1; }
        found=$("$tool" log open -i key.txt "$log" -o - | grep -c "$line") || true
        [ "$found" = 1 ] || { say "the log of the application with $artifact does not open"; exit 1; }
        found=$(java -jar "$reader" open -i key.txt "$log" | grep -c "$line") || true
        [ "$found" = 1 ] || { say "the reader in Java does not open the log of the application with $artifact"; exit 1; }
    )
    say "an application with $artifact, built from the repository, seals its log"
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
            <artifactId>$1</artifactId>
            <version>$(version)</version>
        </dependency>
$(if [[ $1 = *spring-boot* ]]; then spring_boot; else echo "    </dependencies>"; fi)
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

# The versions of Spring Boot take the place of ours, as in any application on it.
spring_boot() {
    cat <<END
        <dependency>
            <groupId>org.springframework.boot</groupId>
            <artifactId>spring-boot-starter</artifactId>
        </dependency>
    </dependencies>
    <dependencyManagement>
        <dependencies>
            <dependency>
                <groupId>org.springframework.boot</groupId>
                <artifactId>spring-boot-dependencies</artifactId>
                <version>$(sed -n 's|.*<spring-boot.version>\(.*\)</spring-boot.version>|\1|p' java/spring-boot/pom.xml)</version>
                <type>pom</type>
                <scope>import</scope>
            </dependency>
        </dependencies>
    </dependencyManagement>
END
}

artifact() { sed -n 's|^    <artifactId>\(.*\)</artifactId>|\1|p' "java/$1/pom.xml"; }

version() { sed -n 's|^    <version>\(.*\)</version>|\1|p' java/pom.xml; }

maven() { mvn --batch-mode --no-transfer-progress --quiet -Dstyle.color=never "$@"; }

say() { echo "maven: $*" >&2; }

main "$@"
