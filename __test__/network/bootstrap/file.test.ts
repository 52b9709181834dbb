import { execFileSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { multiaddr } from '@multiformats/multiaddr'
import { describe, expect, it } from 'vitest'
import { Bootstrap } from '../../../src/network/bootstrap/bootstrap.ts'
import { BootstrapFile } from '../../../src/network/bootstrap/file.ts'
import { dialable } from '../../../src/network/transport/gater.ts'
import { builtInProfiles } from '../../../src/protocol/profile/built-in.ts'
import { openStore } from '../../../src/store/open.ts'
import { temporary } from '../../temporary.ts'

const A = '/ip4/45.1.0.2/tcp/7469/p2p/12D3KooWHCSCJ8b55Ucb6SrPyMoaCSQJvt6LD5Wb1t5QU3xU5CMY'
const B = '/dns4/boot.example/tcp/7469'

function scene(text: string): {
  path: string
  told: unknown[][]
  log: { info: () => void; warn: (...x: unknown[]) => void }
} {
  const path = join(temporary(), 'peers')
  writeFileSync(path, text)
  const told: unknown[][] = []
  return { path, told, log: { info: () => undefined, warn: (...each) => told.push(each) } }
}

describe('the file of bootstrap peers', () => {
  it('has one multiaddr a line, and comments', () => {
    const { path, log } = scene(`# seeds\n\n${A}   # ours\r\n  ${B}\n${A}\n`)
    expect(new BootstrapFile(path, log).addresses()).toEqual([A, B])
  })

  it('is refused with the line that is none, with too many, and where it is missing', () => {
    const { path, log } = scene(`${A}\nboot.example:7469\n`)
    const open = () => new BootstrapFile(path, log)
    expect(open).toThrow(`${path} line 2: "boot.example:7469" is not a multiaddr`)
    writeFileSync(path, Array.from({ length: 101 }, (_, port) => `/ip4/45.1.0.2/tcp/${port + 1}\n`).join(''))
    expect(open).toThrow('has 101 addresses, more than 100')
    writeFileSync(path, ' '.repeat(300_000))
    expect(open).toThrow('has 300000 characters, more than 262144')
    rmSync(path)
    expect(open).toThrow(/the bootstrap file cannot be read: ENOENT/)
    execFileSync('mkfifo', [path])
    expect(new BootstrapFile(path, log).addresses()).toEqual([])
  })

  it('is read again when it changes, and a bad one is told once and changes nothing', async () => {
    const { path, told, log } = scene(A)
    const file = new BootstrapFile(path, log)
    writeFileSync(path, `${A}\nnone\n`)
    await file.look()
    await file.look()
    expect(file.addresses()).toEqual([A])
    expect(told).toEqual([[expect.stringMatching(/line 2: "none" is not a multiaddr.*; what it said before remains$/)]])
    rmSync(path)
    await file.look()
    await file.look()
    expect(told).toHaveLength(2)
    expect(file.addresses()).toEqual([A])
    writeFileSync(path, B)
    await file.look()
    expect(file.addresses()).toEqual([B])
  })

  it('names hosts and ranges to dial on a public network, as the configuration does, also once it has changed', () => {
    const { path, log } = scene('')
    const store = openStore(join(temporary(), 'chronym.db'))
    let look = (): unknown => undefined
    const bootstrap = new Bootstrap({
      bootstrap: [A],
      bootstrapFile: path,
      store,
      profile: builtInProfiles.main,
      clock: { nowMs: () => 0 },
      log
    })
    bootstrap.start({ every: (_interval, action) => ((look = action), () => undefined) }, () => [])
    const mayDial = dialable({
      profile: { scope: 'public', answers_per_prefix: 2, answers_per_wide_prefix: 4 },
      listen: [],
      bootstrap: () => bootstrap.named().map((text) => multiaddr(text))
    })
    const others = ['/dns4/boot.example/tcp/80', '/ip4/10.0.0.9/tcp/80']
    expect(others.map((each) => mayDial(multiaddr(each)))).toEqual([false, false])
    writeFileSync(path, `${B}\n/ip4/10.1.1.1/tcp/7469`)
    look()
    return expect.poll(() => others.map((each) => mayDial(multiaddr(each)))).toEqual([true, true])
  })
})
