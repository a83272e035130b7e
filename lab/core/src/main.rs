//! `sealmark-lab`: see the library of that name.

fn main() -> std::process::ExitCode {
    sealmark_lab::main()
}
