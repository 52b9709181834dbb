/**
 * The error table: every code of the HTTP interface, of tasks and of the command line, with its HTTP status, cause and
 * cure. It is the source of `docs/reference/errors.md` and `GET /errors/{code}`.
 */
export interface ErrorEntry {
  /** HTTP status; `null` for codes outside HTTP answers, see `occurrence`. */
  readonly status: number | null
  readonly title: string
  readonly cause: string
  readonly cure: string
}

export const ERROR_TABLE = {
  'SVC-REQ-001': {
    status: 400,
    title: 'Invalid request',
    cause: 'The body or a parameter does not fit its schema; `errors` names each field at fault.',
    cure: 'Compare the request with /openapi.json and send it again.'
  },
  'SVC-REQ-002': {
    status: 413,
    title: 'Body too large',
    cause: 'The body is larger than the limit of this route (256 KiB at most).',
    cure: 'Send a smaller body. A zone holds at most 16 KiB, an identity log at most 100 KiB.'
  },
  'SVC-REQ-003': {
    status: 415,
    title: 'Wrong media type',
    cause:
      'The request has a body whose Content-Type is not what the route takes: application/json, ' +
      'or application/dns-message at /dns-query.',
    cure: 'Send `Content-Type: application/json` and a JSON body, or a DNS message at /dns-query.'
  },
  'SVC-REQ-004': {
    status: 404,
    title: 'No such route',
    cause: 'Nothing is served at this path.',
    cure: 'Look up the path in /openapi.json or /docs.'
  },
  'SVC-REQ-005': {
    status: 429,
    title: 'Rate limited',
    cause:
      'This client sent more requests than the daemon allows in that time, or its token has as many event streams ' +
      'open as it may.',
    cure: 'Wait as long as `Retry-After` says, then try again.'
  },
  'SVC-REQ-006': {
    status: 422,
    title: 'Idempotency-Key reused',
    cause: 'This Idempotency-Key was used within 24 hours with another body.',
    cure: 'Use a new key for a new request; repeat the same body to get the first answer again.'
  },
  'SVC-REQ-007': {
    status: 405,
    title: 'Method not allowed',
    cause: 'The path exists, but not with this method.',
    cure: 'Use one of the methods named in `Allow`.'
  },
  'SVC-AUT-001': {
    status: 401,
    title: 'Missing or invalid token',
    cause: 'This route needs a bearer token, or the token sent is not one of this daemon.',
    cure: 'Send `Authorization: Bearer $(chronym token)`.'
  },
  'SVC-AUT-002': {
    status: 403,
    title: 'Forbidden',
    cause:
      'The token lacks the scope, or the Host or Origin header is not allowed here. ' +
      'Or a page of another origin looks something up without a token.',
    cure: 'Use a token with that scope, or add the host to api.allowed_hosts (the origin to api.allowed_origins).'
  },
  'SVC-AUT-003': {
    status: 404,
    title: 'No such token',
    cause: 'No token has this id; it may have been revoked before.',
    cure: 'List the tokens: GET /api/tokens or `chronym token list`.'
  },
  'SVC-AUT-004': {
    status: 421,
    title: 'Asked at another address',
    cause:
      'The address in the challenge is not the one at which the daemon received it: something forwards the connection.',
    cure: 'Dial the daemon itself. Through a tunnel, a proxy or a container port, give the token with --token.'
  },
  'SVC-NET-001': {
    status: 502,
    title: 'Peer not reached',
    cause: 'Nobody answers at that address, or another peer than the one it names; `detail` says which.',
    cure:
      'Compare the address with what chronym id prints at the other daemon. Its port must be open in its firewall ' +
      'and forwarded in its router.'
  },
  'SVC-RES-001': {
    status: 503,
    title: 'Network offline',
    cause:
      'The daemon is in mode offline, or no peer answers. Own names and records held here are answered without peers.',
    cure:
      'In mode offline set mode to full or light. In these modes check the connection and p2p.bootstrap: ' +
      '`chronym doctor` looks at both. The daemon finds its peers again by itself.'
  },
  'SVC-RES-002': {
    status: 404,
    title: 'Not found',
    cause: 'The name is not registered, or no identity document is known for that DID.',
    cure: 'Check the spelling. An unregistered name can be registered: `chronym register NAME`.'
  },
  'SVC-RES-003': {
    status: 410,
    title: 'Registration lapsed',
    cause: 'The lease of this name has ended. In the grace period after it, only its owner may renew it.',
    cure: 'The owner renews it (`chronym renew NAME`); after the grace period anyone may register it.'
  },
  'SVC-RES-004': {
    status: 409,
    title: 'Contested',
    cause:
      'The peers that answered disagree, and no owner has a majority. Or most name another ' +
      'owner than before, or they show an older record or identity than before.',
    cure:
      'Wait until the contest is settled and ask again. `chronym explain NAME` shows each ' +
      'answer. To accept the majority of the next look: `chronym pins forget NAME`.'
  },
  'SVC-RES-005': {
    status: 409,
    title: 'Code of another claim',
    cause:
      'Peers hold this name, but no claim with the check code that was asked for: the code was mistyped, its claim has ' +
      'ended and somebody else registered the name, or somebody else passes for its owner.',
    cure:
      'Compare the code with where it comes from. Ask its owner over a way you trust before you use the name without ' +
      'the code: `chronym explain NAME` shows who holds it now. A code that you did not type is pinned here: `chronym ' +
      'pins list` shows it.'
  },
  'SVC-RES-006': {
    status: 404,
    title: 'Code not found',
    cause:
      'No peer that answered shows a live claim with that check code: its claim has ended, name or code were mistyped, ' +
      'or those asked hide it. That says nothing about the name without the code.',
    cure:
      'Compare name and code with where they come from, and ask again. If it stays so, ask who gave you the code ' +
      'whether it still holds. A code that you did not type is pinned here: `chronym pins list` shows it.'
  },
  'SVC-PIN-001': {
    status: 404,
    title: 'No such pin',
    cause: 'This daemon remembers no owner of that name: you may have removed the pin, or the lease is over.',
    cure: 'List the pins: GET /api/pins or `chronym pins list`.'
  },
  'SVC-PIN-002': {
    status: 409,
    title: 'Another claim is pinned',
    cause:
      'This machine means another claim by that name: the name is its own, it has seen one as settled on two days, a ' +
      'code was given before, or `pins.codes` has one. Or the daemon has as many given codes as it keeps.',
    cure:
      'Ask the owner which code is right. `chronym pins list` shows what is pinned, and `chronym pins forget NAME` ends ' +
      'it. A code of `pins.codes` changes in the configuration alone.'
  },
  'SVC-PIN-003': {
    status: 422,
    title: 'A list of pins cannot be followed',
    cause:
      'The source gave no list that is signed by the expected key for this network, or nothing at all. Or this daemon ' +
      'follows as many lists as it can, or does not follow the one that is meant.',
    cure:
      'The message says what is wrong. Ask the publisher for address and key, and try again: `chronym pins follow URL ' +
      '--key KEY`. `chronym pins lists` shows what is followed.'
  },
  'SVC-WNT-001': {
    status: 409,
    title: 'Too many names are looked for',
    cause: 'This daemon already looks for the maximum of lost names and identities.',
    cure:
      'List them (`chronym adopt`, GET /api/wanted), and drop those ' +
      'that are not yours: `chronym adopt --forget NAME`.'
  },
  'SVC-WNT-002': {
    status: 404,
    title: 'Not looked for',
    cause: 'This daemon does not look for that name or identity; it may have found it.',
    cure: 'List what is looked for: GET /api/wanted or `chronym adopt`. `chronym names` shows those it has found.'
  },
  'SVC-ZON-001': {
    status: 422,
    title: 'Unreadable zone',
    cause: 'The payload of the Reveal found for this name is not a zone.',
    cure: 'The owner publishes a valid zone: `chronym zone set NAME`, `chronym zone publish NAME`.'
  },
  'SVC-ZON-002': {
    status: 422,
    title: 'Invalid zone',
    cause: 'The zone breaks a rule; `errors` names the label and the record.',
    cure: 'Fix that record and send the zone again. Nothing was saved.'
  },
  'SVC-ZON-003': {
    status: 404,
    title: 'No local zone',
    cause: 'This daemon has no zone of its own for that name.',
    cure: 'Save one first: POST /api/zone/{name} or `chronym zone set NAME`.'
  },
  'SVC-ZON-004': {
    status: 412,
    title: 'Zone changed since',
    cause: 'The zone is not the one that If-Match names: it has changed since.',
    cure: 'Read the zone again, apply your change, and send it with the new ETag.'
  },
  'SVC-NAM-001': {
    status: 400,
    title: 'Invalid name',
    cause: 'That is not a valid name of this network.',
    cure:
      'Use lower-case letters, digits and inner hyphens, up to 63 octets, then the suffix of the network. Only a check ' +
      'code follows `--`: copy it again from the owner of the name.'
  },
  'SVC-NAM-002': {
    status: 403,
    title: 'Reserved name',
    cause: 'The network profile reserves this label, or labels of this length are not open yet.',
    cure: 'Choose another name.'
  },
  'SVC-OWN-001': {
    status: 403,
    title: 'Not the owner',
    cause: 'This daemon does not own that name.',
    cure: 'Register it and wait until that is done, or use the daemon that owns it. `chronym names` lists the names of this one.'
  },
  'SVC-OWN-002': {
    status: 403,
    title: 'Name sold',
    cause: 'The keys of that name were changed to those of another owner, and most peers call that final.',
    cure:
      '`chronym release NAME` takes it off the list of this daemon. To have it again, take it over from its owner: ' +
      '`chronym transfer offer NAME`.'
  },
  'SVC-CHG-001': {
    status: 409,
    title: 'No change words',
    cause: 'This daemon knows of no change words of its owner, so it cannot name the next change key of a name.',
    cure: 'Make them, or give those that you have: `chronym key change-words`.'
  },
  'SVC-CHG-002': {
    status: 409,
    title: 'Offer does not fit',
    cause:
      'The offer to take a name over is damaged, the record of the name has changed since it was made, or other change ' +
      'words than the claim names signed it.',
    cure:
      'Give the change words that the name was claimed with, or those of its last change. Otherwise ask the new ' +
      'owner for another offer, made by the daemon that is to have the name.'
  },
  'SVC-CHG-003': {
    status: 409,
    title: 'No change of keys left',
    cause: 'The keys of this claim have changed as often as the network allows.',
    cure: 'Let the name lapse and register it again, or keep these keys.'
  },
  'SVC-CHG-004': {
    status: 409,
    title: 'Another change came first',
    cause: 'Peers hold another change of the keys of this name, after the same one.',
    cure:
      '`chronym transfer status NAME` shows it. If one key alone signed it, the owner can take it back until it is ' +
      'final: `chronym key rotate NAME`.'
  },
  'SVC-REG-001': {
    status: 409,
    title: 'Name taken',
    cause: 'The name is registered by another key, or by another claim of the same key.',
    cure:
      'Choose another name, or wait until its lease and grace period have ended. Renew a name of this ' +
      'daemon. For a name of this seed that the daemon does not list: `chronym adopt NAME`.'
  },
  'SVC-REG-002': {
    status: 409,
    title: 'Task already running',
    cause: 'A task for that name is running already; `task_id` names it.',
    cure: 'Watch or cancel that task: `chronym status TASK_ID`, `chronym cancel TASK_ID`.'
  },
  'SVC-PUB-001': {
    status: 422,
    title: 'Record refused',
    cause: 'The record breaks a rule of the network, or a newer one is published already; `detail` says which.',
    cure: 'Fix what the detail names and publish again.'
  },
  'SVC-PUB-002': {
    status: 502,
    title: 'Too few peers stored it',
    cause: 'At most half of the peers asked hold the record after the attempt.',
    cure: 'The daemon keeps trying. Check the peers with `chronym status` and publish again.'
  },
  'SVC-KID-001': {
    status: 422,
    title: 'Invalid identity document or manifest',
    cause: 'The document or manifest breaks a rule; `detail` says which.',
    cure: 'Fix it, sign it again and publish again.'
  },
  'SVC-TSK-001': {
    status: 404,
    title: 'No such task',
    cause: 'No task has this id; it may have been cleared.',
    cure: 'List the tasks: GET /api/vdf/tasks or `chronym tasks`.'
  },
  'SVC-TSK-002': {
    status: 429,
    title: 'Task queue full',
    cause: 'vdf.queue allows no further waiting registration; renewals are always accepted.',
    cure: 'Wait for one to end, cancel one, or raise vdf.queue, then try again.'
  },
  'SVC-TSK-003': {
    status: null,
    title: 'Task cancelled',
    cause: 'The task was cancelled before it ended.',
    cure: 'Start it again if that was a mistake; it reuses a finished proof.'
  },
  'SVC-TSK-004': {
    status: 409,
    title: 'Task has ended',
    cause: 'The task is completed, cancelled or failed: you cannot pause, resume or cancel it.',
    cure:
      'See how it ended: `chronym status TASK_ID`. To clear it from the list: ' +
      '`chronym cancel --clear TASK_ID`, or DELETE its status.'
  },
  'SVC-TSK-005': {
    status: 409,
    title: 'The farm does not take the task',
    cause:
      'No farm is configured, none of its workers was heard within the last minute, or its workers have failed twice ' +
      'with this task.',
    cure:
      '`chronym farm status` shows the farm. Start a worker or the server; where vdf.farm is not set, set it and ' +
      'restart the daemon. After two failures the task stays on this machine.'
  },
  'SVC-TSK-006': {
    status: 409,
    title: 'Nothing to move',
    cause: 'The task is at that place already, or its proof is finished.',
    cure: 'None is needed. `place` and `moved_to` of the task say where it is: `chronym tasks --json`.'
  },
  'SVC-VDF-001': {
    status: 501,
    title: 'No native addon',
    cause:
      'This machine has no native addon, which squares: without it the daemon resolves and verifies, slowly, but ' +
      'registers and renews nothing.',
    cure:
      'Install the tarball of your platform beside the main one, or build the addon with Rust ' +
      '(`npm run setup`), then restart the daemon. `chronym doctor` says why it does not load.'
  },
  'SVC-BCN-001': {
    status: 503,
    title: 'Randomness beacon unavailable',
    cause: 'No beacon answers, or its pulse does not verify under the pinned key.',
    cure: 'Check the connection and beacon.urls; the daemon tries again by itself.'
  },
  'SVC-CFG-001': {
    status: 400,
    title: 'Invalid configuration',
    cause: 'A configuration field is unknown or its value does not fit; `errors` names it.',
    cure:
      'Fix that field. `chronym config check` checks a file, `chronymd --help` explains each ' +
      'field, and `chronym config get` shows the values of a running daemon.'
  },
  'SVC-CFG-002': {
    status: 409,
    title: 'Needs a restart',
    cause: 'That field cannot change while the daemon runs.',
    cure: 'Change it in config.toml, in the flag or in the environment, and restart the daemon.'
  },
  'SVC-KEY-001': {
    status: null,
    title: 'Seed missing',
    cause:
      'The data directory belongs to a seed, but the file seed-words is ' +
      'missing. A new seed could neither renew nor publish its names.',
    cure: 'Restore the 24 words with `chronym key import`, or start in a new directory.'
  },
  'SVC-KEY-002': {
    status: 409,
    title: 'Another seed',
    cause: 'The data directory belongs to another seed. The given one could neither renew nor publish its names.',
    cure:
      'Use the 24 words of this directory: move the wrong seed-words file away and run ' +
      '`chronym key import`. Or use --data-dir with the directory of this seed, or a new one.'
  },
  'SVC-KEY-003': {
    status: 409,
    title: 'Unreadable seed',
    cause:
      'The file seed-words does not hold 24 words of the BIP-39 English list with a ' +
      'valid checksum. Or seed-words.age is not a readable sealed seed.',
    cure:
      'Restore the 24 words with `chronym key import`, which keeps the ' +
      'damaged file beside the new one. Or correct them in the file.'
  },
  'SVC-KEY-004': {
    status: null,
    title: 'Unreadable node key',
    cause: 'The file node-key is cut off or damaged. Peers know this node by it; no name depends on it.',
    cure:
      'Move the file away and start again: the daemon makes a new key, and ' +
      'peers see a new node. Or restore the file from a copy.'
  },
  'SVC-KEY-005': {
    status: null,
    title: 'Directory in use',
    cause: 'A daemon or another command uses the data directory; its seed cannot change at the same time.',
    cure: 'Stop the daemon of that directory, or give another directory with --data-dir.'
  },
  'SVC-KEY-006': {
    status: 423,
    title: 'Seed locked',
    cause:
      'The seed of this data directory is locked under a passphrase. ' +
      'Everything that needs a signature waits or is refused.',
    cure:
      'Unlock it with `chronym unlock`, or start the daemon with ' +
      '--seed-passphrase-file. Look-ups and squaring continue while it is locked.'
  },
  'SVC-KEY-007': {
    status: 403,
    title: 'Wrong passphrase',
    cause: 'The passphrase does not open the sealed seed, seed-words.age.',
    cure:
      'Give the passphrase that `chronym key passphrase` set. If you lost it, move seed-words.age ' +
      'away and restore the 24 words with `chronym key import`, or restore a backup.'
  },
  'SVC-KEY-008': {
    status: null,
    title: 'No passphrase in the file',
    cause: 'The file with the passphrase of the seed cannot be read, or its first line is empty.',
    cure:
      'Put the passphrase on the first line of that file: --seed-passphrase-file, seed.passphrase_file, or ' +
      'the systemd credential chronym-passphrase. Or name no file, and run `chronym unlock`.'
  },
  'SVC-KEY-009': {
    status: 409,
    title: 'Seed without a passphrase',
    cause: 'The seed of this data directory is in clear, so it cannot be locked.',
    cure: 'Stop the daemon and set a passphrase: `chronym key passphrase`.'
  },
  'SVC-KEY-010': {
    status: null,
    title: 'Data directory open to others',
    cause:
      'Another user owns the data directory or a secret in it, or can change or replace it: that user may have put a ' +
      'seed or a token there, or read one.',
    cure:
      'Run this as the user that the directory belongs to, or choose another with --data-dir. If it is yours, look for ' +
      'files that you did not make, then close it: chmod 700 the directory, chmod 600 its files, chmod o-w what is ' +
      'above it. If others could read the seed, register your names again under a new one.'
  },
  'SVC-DNS-001': {
    status: 409,
    title: 'DNS not served',
    cause:
      'The DNS server of this daemon does not run: dns.enabled is false, or the daemon is stopping. Or it has ' +
      'https.local_addresses, and another machine asks.',
    cure:
      'Set dns.enabled to true in config.toml, or remove --dns-enabled, and restart the daemon. For other machines, set ' +
      'https.local_addresses to false.'
  },
  'SVC-DNS-002': {
    status: null,
    title: 'DNS cannot listen',
    cause: 'An address that dns.listen, dns.tls_listen or dns.https_listen names cannot be listened on.',
    cure:
      'In use: stop the other program, or choose another port. Ports below 1024 on Linux: give systemd ' +
      '`AmbientCapabilities=CAP_NET_BIND_SERVICE`, or run `setcap cap_net_bind_service=+ep` on the node program. ' +
      'Without DNS: --dns-enabled false.'
  },
  'SVC-DNS-003': {
    status: null,
    title: 'DNS certificate unusable',
    cause:
      'The file of dns.tls_cert or dns.tls_key cannot be read, the key is encrypted or on another curve, or certificate and key do not fit each other.',
    cure:
      'Give PEM files that this user may read: the chain with the certificate of the server first, and its private ' +
      'key. Restart the daemon after each change.'
  },
  'SVC-DNS-004': {
    status: null,
    title: 'DNS key damaged',
    cause: 'The file dns-key is cut off or damaged. Validating resolvers know the zone by it; no name depends on it.',
    cure:
      'Put the file back as it was. Or move it away: the next start makes a new key, and each resolver that ' +
      'validates needs the new anchor (`chronym dns anchor`).'
  },
  'SVC-STO-001': {
    status: 507,
    title: 'Store failing',
    cause: 'The disk is full or the store cannot write. Stored data is not lost.',
    cure: 'Free space or fix the disk; the daemon resumes by itself.'
  },
  'SVC-STO-002': {
    status: null,
    title: 'Data directory of a newer version',
    cause: 'A newer version of Chronym wrote the database. This one cannot read it, and changed nothing.',
    cure:
      'Install that version again. To go back for good, stop the daemon and put the copy that the upgrade made ' +
      '(chronym.db.schema-N) in the place of chronym.db, without its -wal and -shm.'
  },
  'SVC-INT-001': {
    status: 500,
    title: 'Internal error',
    cause: 'The daemon failed with an unexpected error.',
    cure: 'Search its log for the request id, and report it.'
  }
} as const satisfies Record<string, ErrorEntry>

export function occurrence(code: ErrorCode): string {
  if (code.startsWith('SVC-KEY-')) return 'at the start of the daemon, and from `chronym key`'
  return code.startsWith('SVC-DNS-') || code === 'SVC-STO-002'
    ? 'at the start of the daemon'
    : 'only in the `error` of a task'
}

export type ErrorCode = keyof typeof ERROR_TABLE
