/** Software of others that `npm run test:foreign` runs: by version, how it is had, and what is accepted and why. */
import { identities } from './identities.ts'
import { generatedClients } from './clients.ts'
import { onItsOwnMachine } from './own-machine.ts'
import { ageFiles, h2spec, proofs } from './others.ts'
import type { Outcome } from './outcome.ts'

interface Suite {
  readonly name: string
  /** Names of SOURCES. */
  readonly needs: readonly string[]
  readonly shows: string
  readonly accepted: string
  readonly run: () => Promise<Outcome[]>
}

export const SUITES: readonly Suite[] = [
  {
    name: 'resolvers',
    needs: ['unbound', 'named', 'pdns_recursor', 'kresd', 'dnsmasq', 'systemd-resolved', 'dig', 'ip'],
    shows: 'the table of docs/dns.md: names, aliases, delegations and denials behind each, with our lines for it',
    accepted: 'forwarders follow no delegation; dnsmasq and Knot Resolver leave aliases out of the zone to dns.forward',
    run: () => onItsOwnMachine('resolvers')
  },
  {
    name: 'programs',
    needs: ['dig', 'drill', 'kdig', 'dnsviz', 'ip'],
    shows: "delv, drill and dnsviz validate; dig asks ISC's list of EDNS queries; kdig by TCP, cookies and padding",
    accepted: 'nothing',
    run: () => onItsOwnMachine('programs')
  },
  {
    name: 'h2spec',
    needs: ['h2spec'],
    shows: 'DNS over HTTPS as an HTTP/2 server: the generic cases and those of RFC 7540 and RFC 7541',
    accepted:
      'what a bare HTTP/2 server of Node fails too: 9 of 145, on priorities, an unasked PING ACK and closed streams',
    run: h2spec
  },
  {
    name: 'age',
    needs: ['age', 'pyrage'],
    shows: "age and rage's library open backups, and no changed one; ours opens what the library seals",
    accepted: 'nothing',
    run: ageFiles
  },
  {
    name: 'chiavdf',
    needs: ['chiavdf'],
    shows:
      'discriminants and proofs of both are the same octets, and each verifies those of the other alone when right',
    accepted: 'nothing',
    run: proofs
  },
  {
    name: 'did-resolver',
    needs: [],
    shows:
      'the npm package (of package-lock.json) resolves a DID of a daemon through chronym/did-resolver, and its errors',
    accepted: 'nothing',
    run: identities
  },
  {
    name: 'clients',
    needs: ['openapi-ts', 'openapi-typescript'],
    shows: 'two clients generated from openapi.json, which compile and ask a daemon',
    accepted: 'nothing',
    run: generatedClients
  }
]

/** Suites that are not run, and why. */
export const NOT_RUN: Readonly<Record<string, string>> = {
  genreport: "no registry has it; `programs` asks ISC's list of queries with dig",
  'W3C DID suite': 'no registry has it: it is a repository that takes reports of implementations',
  'go-libp2p': 'it takes a program of ours in Go, which no user has'
}
