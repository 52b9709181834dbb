import { expect, it } from 'vitest'
import { ListenError } from '../../src/network/types.ts'
import { useWorkbench } from './workbench.ts'

const bench = useWorkbench()

it('refuses a mode for which no address can be listened on, with SVC-CFG-001 and its reason', async () => {
  const node = await bench.start({ world: bench.world, seed: 1, self: 'peer-0' })
  node.network.setMode = () => Promise.reject(new ListenError('cannot listen: address in use. Choose others.'))
  await expect(node.registry.setMode('full')).rejects.toMatchObject({
    code: 'SVC-CFG-001',
    message: 'cannot listen: address in use. Choose others.'
  })
})
