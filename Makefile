# Two commands are all a newcomer needs; each installs what it misses (scripts/setup.sh) and says so.
export PATH := $(CURDIR)/target/peers/bin:$(HOME)/.cargo/bin:$(PATH):/usr/local/go/bin

.PHONY: bench jdks test clean

# The main job: seal and open real files in every key mode, verified, beside plain copying and other programs.
bench:
	@scripts/setup.sh cc cargo go
	@cargo build --release --locked
	@scripts/peers.sh
	@target/release/sealmark-lab run $(ARGS)

# More rows for the lab: Java runtimes of other versions, under target/jdks.
jdks:
	@scripts/setup.sh python
	@scripts/jdks.sh

# The whole truth about this checkout; CI runs exactly this.
test:
	@scripts/setup.sh cc cargo rust-components python go
	@scripts/test.sh

clean:
	rm -rf target fuzz/target
