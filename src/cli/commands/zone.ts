import type { Command } from 'commander'
import { connect } from '../connect.ts'
import { action, type Context, type Run } from '../context.ts'
import type { ZoneBody } from '../../api/client.ts'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import { usageFailure } from '../failure.ts'
import { collectOption, integerOption } from '../input/values.ts'
import { formatTable, plural, printable } from '../terminal/format.ts'
import { readZone, zoneOfLines } from '../zone-input.ts'

interface SetOptions {
  record?: string[]
  publish?: boolean
  ifSerial?: number
}

/** A zone in record lines, which `zone set` reads again. */
export function zoneText(zone: ZoneBody): string {
  const rows = Object.entries(zone.records).flatMap(([label, records]) =>
    records.map((record) => [printable(label), record.ttl === undefined ? '' : String(record.ttl), record.type, printable(record.value)])
  )
  return `; serial ${zone.serial ?? 0}\n${rows.length === 0 ? '; no records' : formatTable(rows)}`
}

async function publish(context: Context, name: string): Promise<void> {
  const published = await connect(context).publishZone(name)
  context.output.answer(published, () => `published serial ${published.serial}; held by ${published.stored_by} of ${plural(published.of, 'peer')} asked`)
}

async function set(context: Context, name: string, file: string | undefined, options: SetOptions): Promise<ExitCode> {
  const lines = options.record ?? []
  if ((file === undefined) === (lines.length === 0)) throw usageFailure('give a FILE ("-": standard input) or --record, one of the two', "Example: chronym zone set alice.chronym --record 'www A 192.0.2.1'")
  const zone = file === undefined ? zoneOfLines(lines, (index) => `--record ${index + 1}`) : await readZone(file, context.stdin)
  const saved = await connect(context).saveZone(name, zone, options.ifSerial === undefined ? {} : { ifMatch: `"${options.ifSerial}"` })
  if (options.publish === true) await publish(context, name)
  else context.output.answer(saved, () => `saved as serial ${saved.serial}; make it live: chronym zone publish ${printable(name)}`)
  return EXIT.ok
}

/** zone get, set, publish. */
export function addZoneCommands(program: Command, run: Run): void {
  const zone = program.command('zone').description('DNS records of a name').helpCommand(false)

  zone
    .command('get')
    .argument('<name>')
    .description("the zone of a name: this daemon's own draft where it has one, else what the network shows")
    .option('--public', 'what the network shows, also for our own names')
    .action(
      action(run, async (context, options: { public?: boolean }, name: string) => {
        const found = await connect(context, { anonymous: options.public === true }).zone(name)
        context.output.answer(found.zone, () => `; ${found.source === 'local' ? 'local draft' : 'from the network'}\n${zoneText(found.zone)}`)
        return EXIT.ok
      })
    )

  zone
    .command('set')
    .argument('<name>')
    .argument('[file]', 'JSON, or lines LABEL [TTL] TYPE VALUE; "-": standard input')
    .description('replace the local zone of a name (publishing it is another step)')
    .option('-r, --record <record>', "a record, such as 'www A 192.0.2.1'; may be repeated", collectOption)
    .option('--if-serial <serial>', 'only when the zone still has this serial', integerOption(0, Number.MAX_SAFE_INTEGER))
    .option('--publish', 'publish it as well')
    .action(action(run, (context, options: SetOptions, name: string, file: string | undefined) => set(context, name, file, options)))

  zone
    .command('publish')
    .argument('<name>')
    .description('sign the local zone and publish it')
    .action(
      action(run, async (context, _options: unknown, name: string) => {
        await publish(context, name)
        return EXIT.ok
      })
    )
}
