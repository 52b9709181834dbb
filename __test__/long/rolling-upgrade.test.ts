/**
 * A network of an earlier build that is upgraded daemon by daemon, while names resolve, change and are registered.
 * `UPGRADE_FROM=COMMIT npx vitest run --project long __test__/long/rolling-upgrade.test.ts`; by default from the newest
 * release, else from thirty commits ago. Needs the history of the checkout.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { ROOT } from '../../scripts/program.ts'
import { checkOutEarlier } from '../e2e/earlier-build.ts'
import { builtInProfiles } from '../../src/protocol/profile/built-in.ts'
import { eventually, Scene, type Daemon } from '../e2e/processes.ts'

const scene = new Scene()
afterAll(() => scene.end())

const COUNT = 6
const address = (index: number): string => `192.0.2.${index}`

it('is upgraded daemon by daemon without a gap', { timeout: 1_800_000 }, async () => {
  const { root: earlier, title } = checkOutEarlier(scene, process.env['UPGRADE_FROM'])
  console.log(`from ${title}`)
  const directory = scene.directory()
  const profile = join(directory, 'profile.json')
  const { local } = builtInProfiles
  writeFileSync(profile, JSON.stringify({ ...local, id: 'rolling', difficulty: { ...local.difficulty, base: 50_000 } }))

  const daemons: Daemon[] = []
  const start = async (index: number, root: string): Promise<void> => {
    const known = daemons.filter((_, other) => other !== index).map((each) => ['--bootstrap', each.address])
    const port = daemons[index] === undefined ? 0 : /tcp\/(\d+)/.exec(daemons[index].address)![1]
    daemons[index] = await scene.daemon(
      ['--network', profile, '--data-dir', join(directory, String(index)), ...known.flat()],
      { root, listen: `/ip4/127.0.0.1/tcp/${port}` }
    )
  }
  const register = async (index: number, name: string): Promise<void> => {
    const zone = { records: { '@': [{ type: 'A', value: address(index) }] } }
    const { body } = await eventually(
      () => daemons[index]!.request('POST', '/api/vdf/register', { name, zone }),
      ({ status }) => status === 202
    )
    await eventually(
      () => daemons[index]!.request('GET', `/api/vdf/status/${String(body.task_id)}`),
      ({ body: task }) => task.status === 'completed'
    )
  }
  const publish = async (index: number, name: string, value: string): Promise<void> => {
    await daemons[index]!.request('POST', `/api/zone/${name}`, { records: { '@': [{ type: 'A', value }] } })
    expect(await daemons[index]!.request('POST', `/api/zone/${name}/publish`)).toMatchObject({ status: 200 })
  }
  const shows = async (at: Daemon, name: string, value: string): Promise<unknown> =>
    eventually(
      () => at.request('GET', `/api/zone/${name}`),
      ({ body }) => JSON.stringify(body).includes(value)
    )

  for (let index = 0; index < COUNT; index++) await start(index, earlier)
  const names = Array.from({ length: COUNT }, (_, index) => `name-${index}.chronym`)
  for (const [index, name] of names.entries()) await register(index, name)

  // Each name is asked for at all that run, from the first upgrade to the last.
  let stopped: number | undefined
  const gaps: string[] = []
  let answers = 0
  const end = new AbortController()
  const asking = (async () => {
    for (let turn = 0; !end.signal.aborted; turn++) {
      const index = turn % COUNT
      const name = names[(turn * 5 + 1) % COUNT]!
      if (index !== stopped) {
        const asked = daemons[index]!
        const { status, body } = await asked
          .request('GET', `/api/resolve/${name}`)
          .catch(() => ({ status: 0, body: {} }))
        if (status === 200) answers++
        else if (asked === daemons[index] && index !== stopped)
          gaps.push(`${name} at ${index}: ${JSON.stringify(body)}`)
      }
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  })()
  for (let index = 0; index < COUNT; index++) {
    stopped = index
    expect(await daemons[index]!.signal('SIGTERM')).toBe(0)
    await start(index, ROOT)
    await eventually(
      () => daemons[index]!.request('GET', `/api/resolve/${names[(index + 1) % COUNT]!}`),
      ({ status }) => status === 200
    )
    stopped = undefined
    // Both builds write, and each reads what the other wrote.
    const other = (index + 1) % COUNT
    await publish(index, names[index]!, address(100 + index))
    await publish(other, names[other]!, address(200 + other))
    await Promise.all(daemons.map((each) => shows(each, names[index]!, address(100 + index))))
    await Promise.all(daemons.map((each) => shows(each, names[other]!, address(200 + other))))
    await register(index, `late-${index}.chronym`)
    await shows(daemons[other]!, `late-${index}.chronym`, address(index))
  }
  end.abort()
  await asking
  console.log(`${answers} answers from the first upgrade to the last, ${gaps.length} gaps`)
  expect(gaps).toEqual([])
  for (const each of daemons) expect(each.logText()).not.toMatch(/kept away|could not be answered/)
})
