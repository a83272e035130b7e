package main

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/tls"
	"fmt"
	"strings"
)

// tlsAlgorithm is what both ends offer and accept: one protocol, suite and group under one kind of certificate.
type tlsAlgorithm struct {
	protocol    uint16
	suite       uint16
	group       tls.CurveID
	names       proof
	certificate string
}

var tlsProtocols = map[string]uint16{"TLSv1.2": tls.VersionTLS12, "TLSv1.3": tls.VersionTLS13}

// tlsGroups has "none" for suites that transport the key by RSA, of which ConnectionState says curve 0.
var tlsGroups = map[string]tls.CurveID{
	"none": 0, "X25519": tls.X25519, "P-256": tls.CurveP256, "X25519MLKEM768": tls.X25519MLKEM768,
}

// parseTLSAlgorithm knows what cannot go together; the trial connection of prepare knows the rest.
func parseTLSAlgorithm(told tlsNames) (tlsAlgorithm, error) {
	name, _ := told.Protocol.(string)
	suite, keyTransport := tlsSuite(told.Suite, name)
	group, groupKnown := tlsGroups[told.Group]
	switch {
	case tlsProtocols[name] == 0:
		return tlsAlgorithm{}, unsupported("no protocol %v here", told.Protocol)
	case suite == 0:
		return tlsAlgorithm{}, unsupported("no %s in %s with crypto/tls", told.Suite, name)
	case !groupKnown || keyTransport != (group == 0):
		return tlsAlgorithm{}, unsupported("no group %s with %s", told.Group, told.Suite)
	case group == tls.X25519MLKEM768 && name != "TLSv1.3":
		return tlsAlgorithm{}, unsupported("%s is for TLS 1.3", told.Group)
	case !signs(told.Suite, told.Certificate):
		return tlsAlgorithm{}, unsupported("no %s with a certificate %s", told.Suite, told.Certificate)
	}
	names := proof{name, told.Suite, told.Group}
	return tlsAlgorithm{tlsProtocols[name], suite, group, names, told.Certificate}, nil
}

// tlsSuite leaves out RC4 and 3DES, which crypto/tls still has: legacy suites are no business of this engine.
func tlsSuite(name, protocol string) (id uint16, keyTransport bool) {
	for _, suite := range append(tls.CipherSuites(), tls.InsecureCipherSuites()...) {
		legacy := strings.Contains(name, "_RC4_") || strings.Contains(name, "_3DES_")
		if suite.Name == name && !legacy && hasVersion(suite, tlsProtocols[protocol]) {
			return suite.ID, strings.HasPrefix(name, "TLS_RSA_")
		}
	}
	return 0, false
}

func hasVersion(suite *tls.CipherSuite, version uint16) bool {
	for _, supported := range suite.SupportedVersions {
		if supported == version {
			return true
		}
	}
	return false
}

func signs(suite, certificate string) bool {
	switch certificate {
	case "RSA-2048":
		return !strings.Contains(suite, "_ECDSA_")
	case "ECDSA-P-256", "Ed25519":
		return !strings.Contains(suite, "_RSA_")
	}
	return false
}

// certificateName is the word for the key that a certificate is about.
func certificateName(certificate tls.Certificate) string {
	switch key := certificate.Leaf.PublicKey.(type) {
	case *rsa.PublicKey:
		return fmt.Sprintf("RSA-%d", key.N.BitLen())
	case *ecdsa.PublicKey:
		return "ECDSA-" + key.Curve.Params().Name
	case ed25519.PublicKey:
		return "Ed25519"
	}
	return "of an unknown kind"
}

// proof is what a connection turned out to be.
type proof struct{ protocol, suite, group string }

func proofOf(state tls.ConnectionState) proof {
	found := proof{"unknown", tls.CipherSuiteName(state.CipherSuite), "unknown"}
	for name, version := range tlsProtocols {
		if version == state.Version {
			found.protocol = name
		}
	}
	for name, group := range tlsGroups {
		if group == state.CurveID {
			found.group = name
		}
	}
	return found
}
