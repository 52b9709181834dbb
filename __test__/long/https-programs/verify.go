// Signs leaves with the key of an authority, and says of each whether crypto/x509 takes it for a server.
package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"time"
)

func block(path string) []byte {
	bytes, err := os.ReadFile(path)
	if err != nil {
		panic(err)
	}
	found, _ := pem.Decode(bytes)
	return found.Bytes
}

func main() {
	authority, err := x509.ParseCertificate(block(os.Args[1]))
	if err != nil {
		panic(err)
	}
	key, err := x509.ParsePKCS8PrivateKey(block(os.Args[2]))
	if err != nil {
		panic(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(authority)
	subject, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	for _, name := range os.Args[3:] {
		leaf := &x509.Certificate{
			SerialNumber: big.NewInt(7),
			Subject:      pkix.Name{CommonName: "x"},
			NotBefore:    time.Now().Add(-time.Minute),
			NotAfter:     time.Now().Add(time.Hour),
			ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		}
		if address := net.ParseIP(name); address != nil {
			leaf.IPAddresses = []net.IP{address}
		} else {
			leaf.DNSNames = []string{name}
		}
		der, err := x509.CreateCertificate(rand.Reader, leaf, authority, &subject.PublicKey, key)
		if err != nil {
			panic(err)
		}
		made, _ := x509.ParseCertificate(der)
		_, err = made.Verify(x509.VerifyOptions{DNSName: name, Roots: roots})
		fmt.Println(name, err == nil)
	}
}
