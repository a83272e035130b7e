//! Compiles the loop in C that the engine of OpenSSL is compared with.

fn main() {
    println!("cargo::rerun-if-changed=src/serve/tls/openssl_loop.c");
    #[cfg(feature = "openssl")]
    compile_loop();
}

/// Against the headers of the same OpenSSL that is linked.
#[cfg(feature = "openssl")]
fn compile_loop() {
    let headers = std::env::var_os("DEP_OPENSSL_INCLUDE");
    let linux = std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system == "linux");
    if let (Some(headers), true) = (headers, linux) {
        // OpenSSL itself is always compiled with optimisation, so the loop is, too.
        let mut compiler = cc::Build::new();
        compiler.file("src/serve/tls/openssl_loop.c").include(headers).opt_level(3).warnings(true);
        compiler.compile("sealmark_lab_openssl_loop");
    }
}
