import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { decodeReveal } from '../../../../src/protocol/claim/reveal.ts'
import { fromHex, toBase64 } from '../../../../src/protocol/encoding/bytes.ts'
import reveals from '../../../vectors/chronym/reveals.json' with { type: 'json' }
import { cli, type CliSettings } from '../../harness.ts'
import { temporary } from '../../../temporary.ts'

const CODE = '0jyapnceq7hqhdxx83428m61tg'
const [{ profile, cbor }] = reveals as [(typeof reveals)[number]]
const { pubkey, vdf_proof, signature, payload, ...rest } = decodeReveal(fromHex(cbor))
/** As GET /api/resolve/{name} shows it. */
const REVEAL = {
  ...rest,
  pubkey: [...pubkey],
  vdf_proof: toBase64(vdf_proof),
  signature: toBase64(signature),
  payload: toBase64(payload),
  check_code: CODE,
  source: 'network'
}

describe('chronym verify', () => {
  const directory = temporary()
  const file = join(directory, 'alice.json')
  const network = join(directory, 'network.json')
  beforeAll(() => {
    writeFileSync(file, JSON.stringify(REVEAL))
    writeFileSync(network, profile)
  })
  const verify = (name: string, from: string, settings?: CliSettings) =>
    cli(['--data-dir', directory, 'verify', ...name.split(' '), from, '--network', network], settings)

  it('says yes to the record of the claim with that code, from a file and from standard input', async () => {
    const { exitCode, stdout } = await verify('ALICE--0JYAPN --json', file)
    expect(exitCode).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ valid: true, value: { name: 'alice.chronym', checkCode: CODE } })
    const shown = await verify(`alice--${CODE}`, '-', {
      stdin: JSON.stringify(REVEAL),
      terminal: true,
      env: { NO_COLOR: '1' }
    })
    expect(shown.exitCode).toBe(0)
    expect(shown.stdout).toMatch(
      new RegExp(`\\nvalid\\nname +alice\\.chronym\\ncheck code +${CODE}\\nowner +[0-9a-f]{64}\\n`)
    )
  })

  it('says no to the record of another claim, to another name, and to a changed record', async () => {
    const other = await verify('alice--zzzzzz --json', '-', {
      stdin: JSON.stringify({ ...REVEAL, check_code: 'zzzzzz' })
    })
    expect(other.exitCode).toBe(1)
    expect(JSON.parse(other.stdout)).toMatchObject({ valid: false, problem: { rule: 'code' } })
    expect(await verify('bob--0jyapn', file)).toMatchObject({ exitCode: 1 })
    expect(await verify('alice --code zzzzzz', file)).toMatchObject({ exitCode: 1 })
    expect(await verify('alice --code OJYAPN', file)).toMatchObject({ exitCode: 0 })
    const changed = { ...REVEAL, payload: toBase64(Uint8Array.of(1)) }
    const shown = await verify('alice--0jyapn', '-', {
      stdin: JSON.stringify(changed),
      terminal: true,
      env: { NO_COLOR: '1' }
    })
    expect(shown.exitCode).toBe(1)
    expect(shown.stdout).toMatch(/^no {2}The name's key signed it: .*\n- {3}Its claim/m)
    expect(shown.stdout).toMatch(/\nnot valid: the signature does not verify\n$/)
    expect(await verify('alice--0jyapn', '-', { stdin: '[]' })).toMatchObject({ exitCode: 1 })
  })

  it('gives no verdict where the question is wrong', async () => {
    expect(await verify('alice--short', file)).toMatchObject({ exitCode: 6, stdout: '' })
    expect(await verify('alice--0jyapn --code zzzzzz', file)).toMatchObject({ exitCode: 6, stdout: '' })
    expect(await verify('alice--0jyapn', '-', { stdin: '{' })).toMatchObject({ exitCode: 2, stdout: '' })
    expect(await verify('alice--0jyapn', join(directory, 'none'))).toMatchObject({ exitCode: 2, stdout: '' })
  })
})
