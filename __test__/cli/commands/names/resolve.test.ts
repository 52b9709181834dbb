/** What the network has under a name may be no zone: its owner decides. */
import { beforeEach, describe, expect, it } from 'vitest'
import { revealWith } from '../../../api/helpers/records.ts'
import { createWorld, MAIN_TOKEN, type World } from '../../../api/helpers/world.ts'
import { cli, listen } from '../../harness.ts'

const NAME = 'alice.chronym'

let world: World
let url: string

beforeEach(async () => {
  world = createWorld()
  const server = await listen(world.app.fetch)
  url = server.url
  return server.close
})

/** What follows the fields. */
async function shown(payload: string | Uint8Array): Promise<string | undefined> {
  world.hold(revealWith(new Uint8Array(Buffer.from(payload))))
  const { exitCode, stdout } = await cli(['--api', url, '--token', MAIN_TOKEN, '--no-json', 'resolve', NAME])
  expect(exitCode).toBe(0)
  return stdout.split('\n\n')[1]?.trimEnd()
}

describe('resolve', () => {
  it('prints a zone as records', async () => {
    expect(await shown('{"records":{"@":[{"type":"TXT","value":"a\u200eb"}]},"serial":4}')).toBe(
      '; serial 4\n@    TXT  "a\\226\\128\\142b"'
    )
  })

  it.each([
    ['a text', 'hello', '; no zone: hello'],
    ['nothing', '', '; no zone: the payload is empty'],
    ['JSON of another shape', '{"serial":4}', '; no zone: {"serial":4}'],
    ['records of no type', '{"records":{"@":[{"type":"X","value":"y"}]},"serial":4}', undefined],
    ['an address that is none', '{"records":{"@":[{"type":"A","value":"y"}]},"serial":4}', undefined],
    ['records of before the rules', '{"records":{"@":[{"type":"CNAME","value":"b."}]},"serial":4}', undefined],
    ['JSON that is not canonical', '{"serial":4,"records":{}}', undefined],
    ['UTF-8 with what steers a terminal', 'é\u001b[2J', String.raw`; no zone: é\u001b[2J`],
    ['other octets', Uint8Array.of(0x63, 0xe9, 0x9b), String.raw`; no zone: cé\u009b`]
  ])('says of %s that it is no zone', async (_case, payload, text) => {
    expect(await shown(payload)).toBe(text ?? `; no zone: ${payload}`)
  })
})
