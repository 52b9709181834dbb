#!/bin/sh
# Builds the addon inside a container whose C library is the target's, and tests it there. Run by release.yml with the checkout
# mounted as the working directory, in a node image of Debian (glibc) or Alpine (musl).
set -eu

if command -v apk >/dev/null; then
  apk add --no-cache build-base curl
  # A dynamic library can't be linked with the static C library that Rust takes by default on musl.
  export RUSTFLAGS='-C target-feature=-crt-static'
fi
curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh -s -- -y --profile minimal --default-toolchain "$RUST_VERSION"
. "$HOME/.cargo/env"

node scripts/build-native.mjs --locked
npm ci --ignore-scripts
npx vitest run --project unit __test__/native __test__/beacon
# The container runs as root; what follows on the host does not.
chmod -R a+rwX native
