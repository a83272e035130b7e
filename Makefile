# Two commands are all a newcomer needs, make bench and make test. Each says what it misses, and installs it (scripts/setup.sh).
export PATH := $(CURDIR)/target/peers/bin:$(HOME)/.cargo/bin:$(PATH):/usr/local/go/bin

.PHONY: bench engines jdks tables results-check test test-product soak dist dist-check clean

# The main job: every kind of encryption job, verified, side by side, within three minutes of measuring. Its plan runs age as
# the only program of others, and rage takes longer to build than anything else but OpenSSL.
bench: PEERS = age
bench: engines
	@target/release/sealmark-lab measure quick $(ARGS)

# Builds all that the lab compares: programs, and libraries of other languages. One that cannot be built here is a missing row.
# Packages of other languages and age are fetched and built where the Rust compiler leaves a core idle. `sync` runs beside Maven,
# because the lab would wait for these writes.
PEERS = age rage
LAB = --lib --bin sealmark-lab --bin sealmark-lab-rust
engines:
	@scripts/setup.sh cc cxx cargo go java maven python
	@env --default-signal sh -c 'lab/scripts/engines.sh python go; scripts/peers.sh age' & cargo build --release --locked && \
	    (cd lab && cargo build --release --locked $(LAB)); built=$$?; wait; exit $$built
	@scripts/peers.sh $(PEERS)
	@timeout 20 sync -f target & lab/scripts/engines.sh java; built=$$?; wait; exit $$built

# Adds rows to the lab: Java runtimes 8 to 27, unpacked under target/jdks; nothing is installed.
jdks:
	@scripts/setup.sh python
	@scripts/jdks.sh

# Repeats the published measurements, ten minutes each (one with PLAN=…), and packs rows, pages and texts under lab/results.
tables: engines jdks
	@lab/scripts/results.py measure $(ARGS) $(PLAN)

# Makes everything under lab/results again from its rows, and compares.
results-check:
	@scripts/setup.sh cc cxx cargo python
	@cd lab && cargo build --quiet --release --locked -p sealmark-lab
	@lab/scripts/results.py check

# Runs every check of this checkout; CI runs exactly this. Tests press Ctrl-C, which a program that is started in the background
# would ignore.
test:
	@scripts/setup.sh cc cxx cargo rust-components python go java maven node chromium
	@env --default-signal scripts/test.sh

# Checks the product alone, in minutes: its Rust, the fuzzers' seeds and the README's tours.
test-product:
	@scripts/setup.sh cc cargo rust-components python
	@env --default-signal scripts/test.sh product

# Runs checks that take longer than a test should: ten million values of 256 threads, and from Java forty million of 4,096 virtual
# threads, opened again; each call of each writer and reader, and each system call of each verb, with each error; a folder
# of 100,000 files; a day of a sealed log's traffic in 864 seconds; attachments of 6 GB; 10 GB of logs on Spark; a thousand runs of
# the lab on a simulated machine in each of six weathers; broken lines sent to each engine, and not only to each program.
soak:
	@scripts/setup.sh cc cxx cargo java maven python
	@cargo test --release --locked -p sealmark --test record_sealer --test faulty_ends -- --ignored
	@cargo test --release --locked -p sealmark-fields --test canary -- --ignored
	@cargo test --release --locked -p sealmark-cli --test faults every_call -- --ignored
	@cargo test --release --locked -p sealmark-cli --test faults very_many_files -- --ignored
	@cargo test --release --locked -p sealmark-cli --test faults log_soak -- --ignored --nocapture
	@scripts/java.sh soak
	@cd lab && cargo test --release --locked -p sealmark-lab of_a_thousand_runs -- --ignored
	@lab/scripts/engines.sh
	@cd lab/tests/engines && SEALMARK_EVERY_ENGINE=1 ../../../target/engines/venv/bin/python -m unittest test_conformance.py

# Makes the files that users install, under target/dist: an archive, a Debian package, a list of components, checksums.
dist:
	@scripts/dist.sh $(ARGS)

# Tests each packed crate alone; makes the Maven artifacts and an application that uses them; builds the files of `make dist`
# twice, in two directories, and compares them; installs both ways on a clean system, and types README's tours there; tests the
# native library on older and other machines. It needs root, Debian and an hour.
dist-check:
	@env --default-signal scripts/crates.sh
	@scripts/maven.sh
	@scripts/machines.sh
	@scripts/dist-check.sh

clean:
	rm -rf target fuzz/target lab/tests/page/node_modules
