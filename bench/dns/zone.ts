/** The zone that both servers answer from, and what they are asked. */

const APEX = `
$ORIGIN chronym.
$TTL 86400
@ SOA localhost. nobody.invalid. 1700000000 3600 600 86400 60
@ NS localhost.
`
export const NAMES = Array.from({ length: 32 }, (_, index) => `name-${index}.chronym`)

export const masterFile =
  APEX +
  NAMES.map(
    (name, index) => `
${name}. A 192.0.2.${index}
${name}. AAAA 2001:db8::${index}
${name}. TXT "v=spf1 mx -all"
www.${name}. CNAME ${name}.
mail.${name}. A 192.0.2.${index}
`
  ).join('')

/** Lines as dnsperf reads them: present types, an alias, and names that are absent. */
export const questions = NAMES.flatMap((name) => [
  `${name} A`,
  `${name} AAAA`,
  `${name} TXT`,
  `www.${name} A`,
  `mail.${name} A`,
  `nowhere.${name} A`
]).join('\n')
