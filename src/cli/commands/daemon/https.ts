import { connect } from '../../connection/connect.ts'
import type { CliCommand } from '../../context.ts'
import { integerOption } from '../../input/values.ts'
import { printable } from '../../terminal/format.ts'

export function addHttpsCommands(program: CliCommand): void {
  const https = program
    .command('https')
    .description('https for names of the network, in every browser')
    .helpCommand(false)

  https
    .command('setup')
    .description(
      'make an authority of this machine for names of the network alone, and have the browsers of this user trust it'
    )
    .option('--system', 'the programs of all users too; needs root')
    .option('--undo', 'take the authority out of every store, and remove it')
    .option('--zone <domain>', 'the zone of your network, if no built-in network has it')
    .option('--seed-passphrase-file <file>', 'its first line is the passphrase of a sealed seed; "-": standard input')
    .option('-y, --yes', 'do not ask')
    .loads(async () => (await import('../../https/setup.ts')).setup)

  https
    .command('cert')
    .argument('<name>', 'a name of this daemon, or one below it')
    .description('make a key and a certificate for a server of yours, and publish the TLSA record that names the key')
    .option('--out <directory>', 'where NAME.pem is, with the key and the certificate (default: this directory)')
    .option('--port <port>', 'of the server', integerOption(1, 65_535), 443)
    .option('--roll', 'replace the key: publish the next one, wait, put it in place, drop the record of the old one')
    .option('--reload <command>', 'with --roll: has the server read its certificate again, such as "nginx -s reload"')
    .option('--wait <seconds>', 'with --roll: in place of the TTL of the record', integerOption(0, 86_400))
    .loads(async () => (await import('../../https/cert.ts')).cert)

  https
    .command('forget')
    .argument('<name>', 'a host, such as www.alice.chronym')
    .description('take a host that had a key for one that had none: http:// opens again, where its zone names no key')
    .runs(async (context, _: object, host: string) => {
      const answer = await connect(context).forgetKeyedHost(host)
      context.output.answer(
        answer,
        () =>
          `${printable(host)} ${answer.forgotten ? 'is forgotten' : 'was not remembered: there is nothing to forget'}`
      )
    })

  https
    .command('test')
    .argument('<name>', 'a name, such as alice--7kq2mx.chronym')
    .description('go the way of a browser to a site, and say where it ends (exit code 1: it does not open)')
    .option('--port <port>', 'of the site', integerOption(1, 65_535), 443)
    .loads(async () => (await import('../../https/test.ts')).test)
}
