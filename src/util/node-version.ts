/**
 * Node-API that the database's binary is built for (`NAPI_VERSION` in its binding.gyp). Without it, Node dies silently
 * of a segmentation fault when the store is opened. package.json's `engines` says the same in versions.
 */
const NODE_API = 10

/** What is wrong with this Node and how to get another; undefined when it suffices. */
export function nodeComplaint(versions: {
  readonly node: string
  readonly napi?: string | undefined
}): string | undefined {
  if (Number(versions.napi) >= NODE_API) return undefined
  return (
    'chronym needs Node 22.14 or newer (of Node 23: 23.6); this is ' +
    `${versions.node}. Install a newer Node (https://nodejs.org) and try again.`
  )
}

/** Ends the process with `exitCode` and the complaint when Node is too old. Call it before any native import. */
export function requireNode(exitCode: number): void {
  const complaint = nodeComplaint(process.versions)
  if (complaint === undefined) return
  process.stderr.write(`${complaint}\n`)
  process.exit(exitCode)
}
