/**
 * The name of a platform in file and package names: `<platform>-<arch>`, on Linux followed by its C library, on Windows
 * by its ABI. scripts/native-target.mjs does the same for the build.
 */
export function addonTarget(platform: NodeJS.Platform, arch: string, hasGlibc: boolean): string {
  if (platform === 'linux') return `linux-${arch}-${hasGlibc ? 'gnu' : 'musl'}`
  return platform === 'win32' ? `win32-${arch}-msvc` : `${platform}-${arch}`
}

let glibc: boolean | undefined

/**
 * Whether this process runs on glibc; false on musl and on other systems. Asked once: a report looks up the host of
 * each open socket unless told otherwise, and takes milliseconds in any case.
 */
export function hasGlibc(): boolean {
  glibc ??= reportsGlibc()
  return glibc
}

function reportsGlibc(): boolean {
  // Since Node 22.0; its types lack it.
  const report = process.report as NodeJS.ProcessReport & { excludeNetwork: boolean }
  const { excludeNetwork } = report
  report.excludeNetwork = true
  const { header } = report.getReport() as { header?: { glibcVersionRuntime?: string } }
  report.excludeNetwork = excludeNetwork
  return header?.glibcVersionRuntime !== undefined
}
