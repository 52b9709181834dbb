#!/bin/sh
# Builds and tests the addon in a container that has the target's C library. release.yml runs it in a Node image of Debian (glibc)
# or Alpine (musl), with the checkout as the working directory.
set -eu

if command -v apk >/dev/null; then
  apk add --no-cache build-base curl
  # On musl Rust links the C library statically by default, which a dynamic library cannot do.
  export RUSTFLAGS='-C target-feature=-crt-static'
fi
curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh -s -- -y --profile minimal --default-toolchain none
. "$HOME/.cargo/env"
rustup toolchain install

node scripts/build-native.mjs --locked
npm ci --ignore-scripts
npx vitest run --project unit __test__/native __test__/beacon
# The container runs as root, the next steps on the host do not.
chmod -R a+rwX native
