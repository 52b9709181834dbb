// The name of a platform in file and package names: <platform>-<arch>, on Linux with its C library, on Windows with its
// ABI. src/native/target.ts is the same for the running program; a test holds them together.
export function addonTarget() {
  const { platform, arch } = process
  if (platform === 'linux') {
    const glibc = process.report.getReport().header.glibcVersionRuntime
    return `linux-${arch}-${glibc === undefined ? 'musl' : 'gnu'}`
  }
  return platform === 'win32' ? `win32-${arch}-msvc` : `${platform}-${arch}`
}
