#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    sealmark_fuzz::signed(data);
});
