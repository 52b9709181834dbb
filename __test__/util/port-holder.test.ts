import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterEach, describe, expect, it } from 'vitest'
import { portHolder } from '../../src/util/port-holder.ts'

const LISTENING =
  "require('node:net').createServer().listen(0, '127.0.0.1', function () { console.log(this.address().port) })"

describe.runIf(process.platform === 'linux')('the holder of a port', () => {
  let holder: ReturnType<typeof spawn>
  afterEach(async () => {
    holder.kill()
    await once(holder, 'exit')
  })

  async function commandOf(...words: string[]): Promise<string> {
    holder = spawn(process.execPath, ['-e', LISTENING, ...words], { stdio: ['ignore', 'pipe', 'inherit'] })
    const [port] = (await once(holder.stdout!, 'data')) as [Buffer]
    return portHolder(Number(port))!.command
  }

  const before = process.execPath.length + ' -e '.length + LISTENING.length + 1

  it.each([1, 10, 20, 30])('hides a secret that begins %i characters before the cut', async (characters) => {
    const filling = 'x'.repeat(Math.max(0, 200 - before - 1 - characters))
    const command = await commandOf(filling, `nats://hunter2hunter2hunter2hunter2@host`)
    expect(command.length).toBeLessThanOrEqual(200)
    expect(command).not.toContain('hunter2')
  })

  it('is shown soon, however long and strange its command is', async () => {
    const words = Array.from({ length: 12 }, () => 'a://'.repeat(25_000))
    const began = process.cpuUsage()
    expect(await commandOf(...words)).toContain('createServer')
    const { user, system } = process.cpuUsage(began)
    expect(user + system).toBeLessThan(5_000_000)
  })
})
