/**
 * Each block of commands in README.md and docs, in the order of its page: the test that runs it word by word, or why
 * none does. A page that one test runs whole has that test alone. __test__/command-blocks.test.ts keeps this complete.
 */
export type Block = readonly [begins: string, runs: { readonly by: string } | { readonly not: string }]

/** `npm run test:install` walks the same steps in a tree of its own, by the unit file, without systemd and sudo. */
const SYSTEM = { not: 'changes users, units and services of the machine' }
const ASKS = { not: 'asks on a terminal' }
const FILLED = { not: 'has words in capitals that a reader replaces' }
const CHOICES = { not: 'its lines are alternatives, not steps' }
const STORES = { not: 'needs stores of browsers, or a server with a certificate: __test__/e2e/https*.test.ts' }
const OTHERS = { not: 'needs another machine, or another owner' }
const MEASURES = { not: 'measures for minutes or hours' }
const INTERNET = { not: 'installs packages or builds images from the internet' }
const PACKS = { not: 'needs the tarballs; `npm run test:install` packs and installs them' }

export const COMMAND_BLOCKS: Readonly<Record<string, string | readonly Block[]>> = {
  'README.md': [
    ['npm start', { by: '__test__/e2e/readme.test.ts' }],
    ['npm test', { not: 'is the tests themselves' }]
  ],
  'docs/api.md': [['API=http://127.0.0.1:7468', FILLED]],
  'docs/backup.md': [
    ['chronym key passphrase', ASKS],
    ['chronym backup my-names.age', CHOICES],
    ['chronym backup check my-names.age', ASKS],
    ['chronym --data-dir /srv/chronym restore my-names.age', ASKS],
    ['chronym --data-dir /srv/chronym restore --words', ASKS]
  ],
  'docs/dns.md': [
    ['chronym dns setup', SYSTEM],
    ['chronym dns anchor --for bind', SYSTEM],
    ['ssh-keygen -r alice.chronym', OTHERS],
    ['chronym dns anchor', CHOICES]
  ],
  'docs/first-network.md': '__test__/e2e/runbook.test.ts',
  'docs/https.md': [
    ['chronym https setup', STORES],
    ['curl --proxy', STORES],
    ['chronym config add https.allow_private', CHOICES],
    ['chronym config set https.local_addresses=true', STORES],
    ['chronym https cert alice.chronym --out /etc/ssl/chronym', STORES],
    ['chronym https cert alice.chronym --out /etc/ssl/chronym --roll', STORES]
  ],
  'docs/manual-registration.md': '__test__/e2e/manual-registration.test.ts',
  'docs/network.md': [
    ['npm run --silent chronym -- config profile test > mine.json', OTHERS],
    ['npm run --silent chronym -- config profile test | sed', OTHERS],
    ['npm run bench:network', MEASURES]
  ],
  'docs/operate/install.md': [
    ['npm run pack', PACKS],
    ['sha256sum --check SHA256SUMS', PACKS],
    ['cd "$(npm root --global)/chronym/docs/operate/systemd"', SYSTEM],
    ["alias chronym='sudo -u chronym chronym --data-dir /var/lib/chronym'", SYSTEM],
    ['sudo install -D -m 600 /dev/stdin /etc/credstore/chronym-passphrase', SYSTEM],
    ['docker compose', INTERNET]
  ],
  'docs/operate/many-names.md': [
    [
      'chronym register --from names.txt',
      { not: 'earns three names; __test__/e2e/many-names.test.ts has cheaper ones' }
    ]
  ],
  'docs/operate/monitoring.md': [['chronym token create', SYSTEM]],
  'docs/operate/move.md': [
    ['sudo systemctl disable --now chronymd', SYSTEM],
    ['sudo chronym --data-dir /var/lib/chronym restore move.age', SYSTEM]
  ],
  'docs/operate/uninstall.md': [
    ['chronym backup /var/lib/chronym/my-names.age', SYSTEM],
    ['sudo rm -r /var/lib/chronym', SYSTEM]
  ],
  'docs/operate/upgrade.md': [['sha256sum --check SHA256SUMS', PACKS]],
  'docs/packages.md': [['npm run pack', PACKS]],
  'docs/reference/performance.md': [['npm run bench:vdf', MEASURES]],
  'docs/testing.md': [
    ['PROPERTY_RUNS=100000', MEASURES],
    ['rustup target add aarch64-unknown-linux-gnu', INTERNET],
    ['SOAK_LOOKUPS=64000', MEASURES]
  ],
  'docs/threat-model.md': [['npm run lab:sim', MEASURES]],
  'docs/transfer.md': [
    ['chronym key change-words --make > words', OTHERS],
    ['chronym key rotate --all', OTHERS],
    ['chronym key change-words --make > words', OTHERS]
  ],
  'docs/verification.md': [['chronym pins publish pins.txt', FILLED]]
}
