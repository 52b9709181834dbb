#!/bin/sh
# Made these certificates, with OpenSSL 3: all of alice.chronym, with keys of kinds that servers have, and the public
# keys themselves. `ec.key` is that of `version-1.der` and `critical.der`.
set -e
cd "$(dirname "$0")"
openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -outform der -out ec.key
openssl req -new -key ec.key -subj /CN=alice.chronym -out request
openssl x509 -req -in request -signkey ec.key -days 36500 -outform der -out version-1.der
made() {
  file=$1; shift
  openssl req -x509 -new -subj /CN=alice.chronym -days 36500 -outform der -out "$file.der" "$@"
}
made critical -key ec.key -addext '1.2.3.4=critical,ASN1:UTF8String:x'
key() {
  file=$1; shift
  openssl genpkey "$@" -out key
  made "$file" -key key
}
key p-521 -algorithm EC -pkeyopt ec_paramgen_curve:P-521
key ed448 -algorithm ED448
key rsa-1024 -algorithm RSA -pkeyopt rsa_keygen_bits:1024
key rsa-2048 -algorithm RSA -pkeyopt rsa_keygen_bits:2048
key rsa-pss -algorithm RSA-PSS -pkeyopt rsa_keygen_bits:2048
key p-384 -algorithm EC -pkeyopt ec_paramgen_curve:P-384
key ed25519 -algorithm ED25519
for file in *.der; do openssl x509 -in "$file" -pubkey -noout | openssl pkey -pubin -outform der -out "${file%.der}.spki"; done
rm key request
