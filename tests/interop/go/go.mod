module sealmark/tests/interop

go 1.26
