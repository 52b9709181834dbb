/**
 * The name of a platform in file and package names: `<platform>-<arch>`, on Linux followed by its C library, on Windows
 * by its ABI. scripts/native-target.mjs does the same for the build.
 */
export function addonTarget(platform: NodeJS.Platform, arch: string, hasGlibc: boolean): string {
  if (platform === 'linux') return `linux-${arch}-${hasGlibc ? 'gnu' : 'musl'}`
  return platform === 'win32' ? `win32-${arch}-msvc` : `${platform}-${arch}`
}

/** Whether this process runs on glibc; false on musl and on other systems. */
export function hasGlibc(): boolean {
  const report = process.report.getReport() as { header?: { glibcVersionRuntime?: string } }
  return report.header?.glibcVersionRuntime !== undefined
}
