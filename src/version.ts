/** The version of this package, as package.json has it. */
import { readFileSync } from 'node:fs'

export const VERSION = (
  JSON.parse(String(readFileSync(new URL('../package.json', import.meta.url)))) as { version: string }
).version
