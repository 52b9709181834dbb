#!/bin/sh
# Builds and tests the addon in a container that has the target's C library. release.yml runs it in a Node image of Debian (glibc)
# or Alpine (musl), with the checkout as the working directory.
set -eu

libc=gnu
if command -v apk >/dev/null; then
  libc=musl
  apk add --no-cache build-base curl
  # On musl Rust links the C library statically by default, which a dynamic library cannot do.
  export RUSTFLAGS='-C target-feature=-crt-static'
fi
# Of rustup 1.28.2, as https://static.rust-lang.org/rustup/archive/1.28.2/TARGET/rustup-init.sha256 has them.
host=$(uname -m)-unknown-linux-$libc
case $host in
  x86_64-unknown-linux-gnu) hash=20a06e644b0d9bd2fbdbfd52d42540bdde820ea7df86e92e533c073da0cdd43c ;;
  aarch64-unknown-linux-gnu) hash=e3853c5a252fca15252d07cb23a1bdd9377a8c6f3efa01531109281ae47f841c ;;
  x86_64-unknown-linux-musl) hash=e6599a1c7be58a2d8eaca66a80e0dc006d87bbcf780a58b7343d6e14c1605cb2 ;;
  aarch64-unknown-linux-musl) hash=a97c8f56d7462908695348dd8c71ea6740c138ce303715793a690503a94fc9a9 ;;
  *) echo "no hash of rustup is known for $host" >&2; exit 1 ;;
esac
curl --proto '=https' --tlsv1.2 -sSf -o /tmp/rustup-init \
  "https://static.rust-lang.org/rustup/archive/1.28.2/$host/rustup-init"
echo "$hash  /tmp/rustup-init" | sha256sum -c -
chmod +x /tmp/rustup-init
/tmp/rustup-init -y --profile minimal --default-toolchain none
. "$HOME/.cargo/env"
rustup toolchain install

node scripts/build-native.mjs --locked
npm ci --ignore-scripts
npx vitest run --project unit __test__/native __test__/beacon
# The container runs as root, the next steps on the host do not.
chmod -R a+rwX native
