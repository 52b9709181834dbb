/**
 * `dns setup --apply` and `--undo` on a machine whose resolver really runs, beside a daemon: its /etc, /run, processes and
 * network are namespaces. No systemd runs there, so a shell stands for `systemctl restart`.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { needPackages, programOf } from '../../scripts/packages.ts'
import { cleanEnvironment, ROOT } from '../../scripts/program.ts'
import { Scene } from './processes.ts'

const PATIENCE_MS = 600_000
/** With the first process of its namespace every other one ends. */
const PROCESSES = ['--pid', '--fork', '--kill-child', '--mount-proc']
const isRoot = process.getuid?.() === 0
const scene = new Scene()

beforeAll(() => needPackages(['systemd-resolved', 'unbound', 'dnsmasq-base', 'iproute2', 'bind9-dnsutils']))
afterAll(() => scene.end())

interface Machine {
  readonly service: string
  /** Where it answers: the nameserver of resolv.conf. */
  readonly address: string
  readonly command: string
  /** Lines of a shell that configure it, in an /etc of its own. */
  readonly configure: string
  readonly files: readonly string[]
}

const MACHINES: readonly Machine[] = [
  {
    service: 'systemd-resolved',
    address: '127.0.0.53',
    command: 'systemd-resolved',
    // As root of a user namespace it has no other user to become. Without a link beside lo it asks nobody.
    configure: `
for file in passwd group; do sed -i /^systemd-resolve:/d /etc/$file; done
echo systemd-resolve:x:0:0::/:/bin/false >> /etc/passwd
echo systemd-resolve:x:0: >> /etc/group
rm -rf /etc/systemd/resolved.conf* /etc/dnssec-trust-anchors.d
mkdir -p /run/systemd /etc/systemd/resolved.conf.d
printf '[Resolve]\\nDNSSEC=yes\\nLLMNR=no\\nMulticastDNS=no\\n' > /etc/systemd/resolved.conf.d/own.conf
ip link add wire type veth peer name other
ip addr add 192.0.2.2/24 dev wire; ip link set wire up; ip link set other up`,
    files: ['/etc/systemd/resolved.conf.d/chronym.conf', '/etc/dnssec-trust-anchors.d/chronym.positive']
  },
  {
    service: 'unbound',
    address: '127.0.0.1',
    command: 'unbound -d -c /etc/unbound/unbound.conf',
    configure: `
rm -rf /etc/unbound; mkdir -p /etc/unbound/unbound.conf.d
cat > /etc/unbound/unbound.conf <<'END'
server:
  username: ""
  chroot: ""
  use-syslog: no
  pidfile: ""
  module-config: "validator iterator"
remote-control:
  control-enable: no
include-toplevel: "/etc/unbound/unbound.conf.d/*.conf"
END`,
    files: ['/etc/unbound/unbound.conf.d/chronym.conf']
  },
  {
    service: 'dnsmasq',
    address: '127.0.0.1',
    command: 'dnsmasq --no-daemon --pid-file',
    configure: `
rm -rf /etc/dnsmasq*; mkdir /etc/dnsmasq.d
printf 'user=root\\ngroup=root\\nno-resolv\\ndnssec\\nconf-file=/usr/share/dnsmasq-base/trust-anchors.conf\\nconf-dir=/etc/dnsmasq.d\\n' > /etc/dnsmasq.conf`,
    files: ['/etc/dnsmasq.d/chronym.conf']
  }
]

const systemctl = ({ service, address, command }: Machine): string => `#!/bin/sh
[ "$*" = "restart ${service}" ] || exit 1
if [ -f $HOME/pid ]; then kill $(cat $HOME/pid); while [ -d /proc/$(cat $HOME/pid) ]; do sleep 0.1; done; fi
${command} > $HOME/resolver.log 2>&1 &
echo $! > $HOME/pid
until dig +tries=1 +time=2 @${address} localhost A > $HOME/dig.log; do [ -d /proc/$! ] || exit 2; sleep 0.1; done
`

/** What each line of a shell prints, on a machine of its own with a daemon. */
function onMachine(machine: Machine, lines: readonly string[]): string[] {
  const directory = scene.directory()
  for (const name of ['etc', 'bin', 'data']) mkdirSync(join(directory, name), { mode: 0o700 })
  writeFileSync(join(directory, 'bin/systemctl'), systemctl(machine), { mode: 0o700 })
  const script = `
cp -a /etc/. etc 2>/dev/null
mount --bind etc /etc && mount -t tmpfs own /run && ip link set lo up || exit 9
rm -f /etc/resolv.conf; echo nameserver ${machine.address} > /etc/resolv.conf
${machine.configure}
systemctl restart ${machine.service} || { cat resolver.log >&2; exit 9; }
"$0" ${join(ROOT, 'src/daemon/main.ts')} --json --mode offline --port 0 --dns-listen 127.0.0.1:7453 --data-dir data > up 2> log &
until grep -q api_url up; do [ -d /proc/$! ] || { cat log >&2; exit 9; }; sleep 0.2; done
${lines.map((line) => `{ ${line}\n} 2>&1; echo "==="`).join('\n')}`
  const mapping = isRoot ? [] : ['--map-root-user']
  const args = [...mapping, '--mount', '--net', ...PROCESSES, 'sh', '-c', script, process.execPath]
  const resolverFolder = join(programOf('systemd-resolved'), '..')
  const { stdout, stderr, status } = spawnSync('unshare', args, {
    cwd: directory,
    encoding: 'utf8',
    timeout: PATIENCE_MS,
    killSignal: 'SIGKILL',
    env: {
      ...cleanEnvironment(),
      HOME: directory,
      PATH: `${join(directory, 'bin')}:${process.env['PATH']}:/usr/sbin:/sbin:${resolverFolder}`
    }
  })
  expect(status, stderr + stdout).toBe(0)
  return stdout.split('===\n').slice(0, -1)
}

const chronym = (words: string): string =>
  `"$0" --disable-warning=ExperimentalWarning ${join(ROOT, 'src/cli/main.ts')} --json --data-dir data ${words}`

it.each(MACHINES)('$service asks the daemon and validates by its key, until that is taken back', (machine) => {
  const list = `ls ${machine.files.join(' ')} 2>/dev/null`
  const [before, applied, written, after, undone, left, last] = onMachine(machine, [
    chronym('dns test'),
    chronym('dns setup --apply --yes'),
    list,
    chronym('dns test'),
    chronym('dns setup --undo'),
    list,
    chronym('dns test')
  ])
  const commands = [{ command: ['systemctl', 'restart', machine.service], code: 0 }]
  expect(JSON.parse(before!)).toMatchObject({ reaches: false })
  expect(JSON.parse(applied!)).toEqual({ system: machine.service, written: machine.files, commands })
  expect(written!.split('\n').filter(Boolean)).toEqual([...machine.files].sort())
  expect(JSON.parse(after!)).toMatchObject({ reaches: true, authenticated: true })
  expect(JSON.parse(undone!)).toEqual({ removed: machine.files, commands })
  expect(left).toBe('')
  expect(JSON.parse(last!)).toMatchObject({ reaches: false, authenticated: false })
})
