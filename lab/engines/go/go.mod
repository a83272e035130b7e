module sealmark/engines/go

go 1.26.0

require (
	golang.org/x/crypto v0.57.0
	golang.org/x/sys v0.49.0
)
