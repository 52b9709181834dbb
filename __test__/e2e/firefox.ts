/** Drives a Firefox by Marionette, the protocol of its own: JSON after its length. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { programOf } from '../../scripts/packages.ts'
import { end } from '../../scripts/program.ts'
import { waitFor } from '../wait-for.ts'
import type { Answer } from './processes.ts'

/** It asks nobody but the site that it is sent to. */
const QUIET = {
  'marionette.port': 0,
  'app.normandy.enabled': false,
  'browser.safebrowsing.downloads.enabled': false,
  'browser.safebrowsing.malware.enabled': false,
  'browser.safebrowsing.phishing.enabled': false,
  'datareporting.policy.dataSubmissionEnabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'network.trr.mode': 5,
  'services.settings.server': 'http://127.0.0.1:1'
}

export class Firefox {
  private readonly socket: Socket
  private readonly quit: () => Promise<unknown>
  private readonly answers = new Map<number, (answer: [error: unknown, result: Answer]) => void>()
  private count = 0

  private constructor(socket: Socket, quit: () => Promise<unknown>) {
    this.socket = socket
    this.quit = quit
    let seen = Buffer.alloc(0)
    socket.on('data', (bytes: Buffer) => {
      seen = Buffer.concat([seen, bytes])
      for (let at: number; (at = seen.indexOf(':')) >= 0;) {
        const next = at + 1 + Number(seen.subarray(0, at).toString())
        if (seen.length < next) return
        const message = JSON.parse(seen.subarray(at + 1, next).toString())
        seen = seen.subarray(next)
        // The first one is a greeting.
        if (Array.isArray(message)) this.answers.get(message[1])!([message[2], message[3]])
      }
    })
  }

  /** With what the profile holds, and these settings. */
  static async start(home: string, profile: string, settings: Record<string, unknown> = {}): Promise<Firefox> {
    mkdirSync(profile, { recursive: true })
    const lines = Object.entries({ ...QUIET, ...settings }).map(
      (pair) => `user_pref(${JSON.stringify(pair).slice(1, -1)});`
    )
    writeFileSync(join(profile, 'user.js'), lines.join('\n'))
    const portFile = join(profile, 'MarionetteActivePort')
    rmSync(portFile, { force: true })
    const options = ['--headless', '--marionette', '--remote-allow-system-access', '--no-remote', '--profile', profile]
    const child = spawn(programOf('firefox-esr'), options, { stdio: 'ignore', env: { ...process.env, HOME: home } })
    const socket = await waitFor(async () => {
      const found = connect(Number(readFileSync(portFile, 'utf8')), '127.0.0.1')
      await once(found, 'connect')
      return found
    })
    const firefox = new Firefox(socket, () => end(child, 'SIGKILL'))
    await firefox.command('WebDriver:NewSession')
    return firefox
  }

  /** Rejects where the page does not open. */
  async goto(url: string): Promise<void> {
    await this.command('Marionette:SetContext', { value: 'content' })
    await this.command('WebDriver:Navigate', { url })
  }

  private async command(name: string, parameters: object = {}): Promise<Answer> {
    const id = ++this.count
    const text = JSON.stringify([0, id, name, parameters])
    const answer = Promise.withResolvers<[unknown, Answer]>()
    this.answers.set(id, answer.resolve)
    this.socket.write(`${Buffer.byteLength(text)}:${text}`)
    const [error, result] = await answer.promise
    if (error !== null) throw new Error(JSON.stringify(error))
    return result
  }

  /** What a script gives, in the page or in the window around it. */
  async run(context: 'content' | 'chrome', script: string): Promise<Answer> {
    await this.command('Marionette:SetContext', { value: context })
    return (await this.command('WebDriver:ExecuteScript', { script, args: [] })).value
  }

  async close(): Promise<void> {
    const closed = once(this.socket, 'close')
    await this.command('Marionette:Quit', { flags: ['eForceQuit'] })
    await closed
    await this.quit()
  }
}
