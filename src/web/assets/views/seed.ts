import type { BackupView, SeedBody } from '../lib/api.ts'
import type { View } from '../lib/view.ts'
import { html } from '../lib/html.ts'
import { useResource } from '../lib/resource.ts'
import { useMay } from '../lib/session.ts'
import { Card, Loaded, Page } from '../parts/basics.ts'
import { Backup } from '../seed/backup.ts'
import { Commands } from '../seed/commands.ts'
import { Safety } from '../seed/safety.ts'
import { Wanted } from '../seed/wanted.ts'
import { Lock } from '../seed/lock.ts'

const LEAD = 'Your names belong to 24 words. If you lose them and all backups, nobody can give the names back.'

function View() {
  const seed = useResource('/api/seed', { every: 10_000 })
  const backup = useResource('/api/backup', { every: 30_000 })
  const mayManage = useMay('admin')
  return html`
    <${Page} title="Backup & seed" lead=${LEAD} />
    <div class="stack">
      <${Loaded} of=${seed}>${(data: SeedBody) => html`<${Safety} seed=${data} backup=${backup.data} />`}<//>
      <div class="grid">
        ${seed.data && html`<${Lock} seed=${seed.data} mayManage=${mayManage} />`}
        <${Card} title="A backup that keeps itself up to date">
          <${Loaded} of=${backup}>${({ kept }: BackupView) => html`<${Backup} kept=${kept} />`}<//>
        <//>
      </div>
      <${Wanted} />
      <${Commands} />
    </div>
  `
}

export const view: View = { path: '/seed', title: 'Backup & seed', icon: 'seed', View }
