import { connect } from '../../connection/connect.ts'
import type { CliCommand } from '../../context.ts'
import type { TokenScope } from '../../../api/schemas/daemon.ts'
import { usageFailure } from '../../failures/failure.ts'
import { collectOption } from '../../input/values.ts'
import { requireToken } from '../../connection/location.ts'
import { formatRelative, formatTable, printable } from '../../terminal/format.ts'

export const SCOPES: readonly TokenScope[] = ['read', 'vdf', 'publish', 'admin']

function scopesOf(words: readonly string[] | undefined): TokenScope[] {
  const scopes = (words ?? []).flatMap((word) => word.split(',')).filter((word) => word !== '')
  const unknown = scopes.filter((scope) => !(SCOPES as readonly string[]).includes(scope))
  if (scopes.length === 0 || unknown.length > 0)
    throw usageFailure(
      unknown.length > 0 ? `no such scope: ${unknown.join(', ')}` : '--scope is missing',
      `Scopes: ${SCOPES.join(', ')}.`
    )
  return [...new Set(scopes)] as TokenScope[]
}

export function addTokenCommands(program: CliCommand): void {
  const token = program.command('token').description('access tokens of the daemon').helpCommand(false)

  token
    .command('show', { isDefault: true })
    .description('print the main token (read from its file; needs no daemon)')
    .runs((context) => {
      const value = requireToken(context)
      context.output.plain({ token: value }, value)
    })

  token
    .command('rotate')
    .description('replace the main token; the old one stops working at once')
    .runs(async (context) => {
      const { token: value } = await connect(context).rotateToken()
      context.output.plain({ token: value }, value)
    })

  token
    .command('create')
    .description('make a narrower token; it is shown once')
    .option('-s, --scope <scope>', `${SCOPES.join(', ')}; may be repeated`, collectOption)
    .option('-l, --label <text>', 'what it is for')
    .runs(async (context, options: { scope?: string[]; label?: string }) => {
      const made = await connect(context).createToken({
        scopes: scopesOf(options.scope),
        ...(options.label === undefined ? {} : { label: options.label })
      })
      context.output.plain(made, made.token)
      context.output.note(`id ${made.id}; it is not shown again. Take it back: chronym token revoke ${made.id}`)
    })

  token
    .command('list')
    .description('list the narrower tokens')
    .runs(async (context) => {
      const tokens = await connect(context).tokens()
      context.output.answer(tokens, () =>
        tokens.length === 0
          ? 'no tokens but the main one'
          : formatTable([
              ['id', 'scopes', 'made', 'label'],
              ...tokens.map((each) => [
                each.id,
                each.scopes.join(','),
                formatRelative(each.created_at, Date.now()),
                printable(each.label ?? '')
              ])
            ])
      )
    })

  token
    .command('revoke')
    .argument('<id>', 'as `chronym token list` shows it')
    .description('revoke a token')
    .runs(async (context, _options: unknown, id: string) => {
      const answer = await connect(context).revokeToken(id)
      context.output.answer(answer, () => `token ${printable(id)} revoked`)
    })
}
