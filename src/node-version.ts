/** The oldest Node that libp2p and the database run on. */
const MINIMUM_MAJOR = 22

/** Ends the process with a message that names the cure when Node is too old. To be called before anything native is imported. */
export function requireNode(): void {
  const version = process.versions.node
  if (Number(version.split('.')[0]) >= MINIMUM_MAJOR) return
  process.stderr.write(`chronym needs Node ${MINIMUM_MAJOR} or newer; this is ${version}. Install a newer Node (https://nodejs.org) and try again.\n`)
  process.exit(1)
}
